/** Spectra with planted lags: every template a random phase spectrum, each datum one of them delayed. */
export interface Planted {
  readonly n: number;
  readonly data: Float32Array;
  readonly templates: Float32Array;
  /** Lag of each datum, and the template that it is. */
  readonly lags: readonly number[];
}

export function planted(n: number, count: number): Planted {
  let state = 12345;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const templates = new Float32Array(count * n * 2);
  const data = new Float32Array(count * n * 2);
  const lags: number[] = [];
  for (let row = 0; row < count; row++) {
    const lag = Math.floor(random() * n);
    lags.push(lag);
    for (let k = 0; k < n; k++) {
      const phase = 2 * Math.PI * random();
      const turn = phase - (2 * Math.PI * k * lag) / n;
      const at = 2 * (row * n + k);
      templates.set([Math.cos(phase), Math.sin(phase)], at);
      data.set([Math.cos(turn), Math.sin(turn)], at);
    }
  }
  return { n, data, templates, lags };
}
