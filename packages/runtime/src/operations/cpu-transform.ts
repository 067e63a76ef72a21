import FFT from "fft.js";

/** Transforms kept by length: their tables take n complex float64 each, and a page uses few lengths. */
const TRANSFORMS_KEPT = 8;
const transforms = new Map<number, FFT>();

/** The float64 transform of a length, its tables made once. */
export function transformOf(n: number): FFT {
  const known = transforms.get(n);
  if (known) return known;
  if (transforms.size >= TRANSFORMS_KEPT) transforms.clear();
  const made = new FFT(n);
  transforms.set(n, made);
  return made;
}
