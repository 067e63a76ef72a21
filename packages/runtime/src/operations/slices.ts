/** Longest stretch of work in ms before others may run: a page keeps half of a 60 Hz frame. */
const SLICE_MS = 8;
/** Least time in ms to believe a reading: page clocks step by up to 1 ms. */
const READING_MS = 4;
/**
 * Readings of which the least counts. Engines compile a hot loop beside it and need their time: 12 ms after the first call a
 * transform of 1024 points still took 1.3 ms, later 0.02 ms.
 */
const READINGS = 12;
/** Items after which a reading ends whatever the clock says. */
const MOST_TIMED = 4096;

/** Lets timers and events run: a timer is what every runtime has. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Does items one after the other, and lets others run every few milliseconds. */
export async function inSlices(items: number, one: (item: number) => void): Promise<void> {
  let sliceFrom = performance.now();
  for (let item = 0; item < items; item++) {
    one(item);
    if (performance.now() - sliceFrom < SLICE_MS) continue;
    await breathe();
    sliceFrom = performance.now();
  }
}

/** Milliseconds of an item: the least of a few readings, so that neither a cold compiler nor a busy machine counts. */
export async function timeOf(one: () => void): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < READINGS; reading++) {
    const start = performance.now();
    let count = 0;
    let spent = 0;
    while (spent < READING_MS && count < MOST_TIMED) {
      one();
      count += 1;
      spent = performance.now() - start;
    }
    least = Math.min(least, spent / count);
    await breathe();
  }
  return least;
}
