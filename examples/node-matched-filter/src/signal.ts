/** Points of a signal: a power of two. */
export const N = 2048;

/** Normally distributed numbers, the same ones every run (a linear congruential generator and Box-Muller). */
export function noiseSource(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** A chirp of 256 points under a smooth window, sweeping from one frequency (cycles a point) to another. */
export function chirp(from: number, to: number): Float64Array {
  const length = 256;
  const wave = new Float64Array(N);
  for (let t = 0; t < length; t++) {
    const cycles = from * t + ((to - from) * t * t) / (2 * length);
    wave[t] = Math.sin((Math.PI * (t + 0.5)) / length) * Math.cos(2 * Math.PI * cycles);
  }
  return wave;
}

/** Noise of unit variance with the chirp added `lag` points late, wrapping round. */
export function echo(wave: Float64Array, lag: number, noise: () => number): Float64Array {
  return Float64Array.from({ length: N }, (_, t) => noise() + wave[(t - lag + N) % N]!);
}

/** Spectrum of a real signal: the discrete Fourier transform, recursively halved, interleaved (re, im). */
export function spectrum(signal: Float64Array): Float32Array {
  const { re, im } = transform(signal);
  const points = new Float32Array(2 * signal.length);
  for (let k = 0; k < signal.length; k++) points.set([re[k]!, im[k]!], 2 * k);
  return points;
}

function transform(x: Float64Array): { re: Float64Array; im: Float64Array } {
  const n = x.length;
  if (n === 1) return { re: x, im: new Float64Array(1) };
  const even = transform(x.filter((_, index) => index % 2 === 0));
  const odd = transform(x.filter((_, index) => index % 2 === 1));
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  for (let k = 0; k < n / 2; k++) {
    const [c, s] = [Math.cos((-2 * Math.PI * k) / n), Math.sin((-2 * Math.PI * k) / n)];
    const [tr, ti] = [c * odd.re[k]! - s * odd.im[k]!, c * odd.im[k]! + s * odd.re[k]!];
    re[k] = even.re[k]! + tr;
    im[k] = even.im[k]! + ti;
    re[k + n / 2] = even.re[k]! - tr;
    im[k + n / 2] = even.im[k]! - ti;
  }
  return { re, im };
}
