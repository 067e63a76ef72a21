import type { PortData } from "@tunelab/contract";

/** Contents as the 32-bit words they are, so that every NaN is itself and -0 is not 0. */
export const wordsOf = (data: PortData[string]): Uint32Array =>
  new Uint32Array(data.buffer, data.byteOffset, data.length);

/** Whether two sets of contents are the same, bit for bit: same ports, same lengths, same words. */
export function sameBits(a: PortData, b: PortData): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameWords(a[name]!, b[name]));
}

function sameWords(a: PortData[string], b: PortData[string] | undefined): boolean {
  if (!b || a.length !== b.length) return false;
  const [x, y] = [wordsOf(a), wordsOf(b)];
  for (let at = 0; at < x.length; at += 1) if (x[at] !== y[at]) return false;
  return true;
}
