import {
  type Backend,
  calibrateMatchedFilter,
  createRuntime,
  matchedFilter,
  type Runtime,
} from "@tunelab/runtime/matched-filter";
import { plotText } from "./plot.ts";
import { CHIRPS, parseNumbers, SAMPLES, WINDOW } from "./signals.ts";
import { analyse, chirpSpectra, windowSpectra } from "./windows.ts";

/** Time that the Calibrate button may take, ms. */
const CALIBRATION_MS = 10_000;

const byId = <T extends Element>(id: string): T => document.querySelector<T & Element>(`#${id}`)!;
const say = (id: string, text: string): void => {
  byId(id).textContent = text;
};

/** Calibrations outlive the visit; where storage is forbidden they last as long as the page. */
const cache = {
  get: (key: string): string | null => localStorage.getItem(key),
  set: (key: string, value: string): void => localStorage.setItem(key, value),
};

/** Events in words. */
const TOLD = {
  "no-gpu": "The CPU computes, for there is no GPU",
  fallback: "A variant did not run here and the next one did",
  "table-unreadable": "A table could not be read",
} as const;

let runtime: Promise<Runtime> | undefined;
const theRuntime = (): Promise<Runtime> => {
  runtime ??= createRuntime({
    backend: "auto",
    powerPreference: "high-performance",
    cache,
    onEvent: (event) =>
      say("status", "why" in event ? `${event.kind}: ${event.why}` : `${TOLD[event.kind]}: ${event.reason}`),
  });
  return runtime;
};

const templates = chirpSpectra();
let signal = SAMPLES[0]!.samples();

/** Without a GPU there is nothing to choose between and nothing to race. */
function cpuAlone(): void {
  const select = byId<HTMLSelectElement>("backend");
  select.value = "cpu";
  for (const option of Array.from(select.options)) option.disabled = option.value !== "cpu";
  const button = byId<HTMLButtonElement>("calibrate");
  button.disabled = true;
  button.title = "There is no GPU to calibrate";
}

async function show(): Promise<void> {
  const data = windowSpectra(signal);
  const backend = byId<HTMLSelectElement>("backend").value as Backend;
  const made = await theRuntime();
  if (!made.hasGpu) cpuAlone();
  const call = { n: WINDOW, data, templates, backend: made.hasGpu ? backend : ("cpu" as const) };
  await matchedFilter(made, call); // compiles, so that the second call's time is the library's own
  const start = performance.now();
  const peaks = await matchedFilter(made, call);
  const spent = performance.now() - start;
  const { windows, found } = analyse(peaks);
  byId("plot").innerHTML = plotText(windows);
  byId("found")
    .querySelector("tbody")!
    .replaceChildren(
      ...found.map(({ start: at, chirp, over }) => {
        const row = document.createElement("tr");
        for (const text of [String(at), chirp, over.toFixed(2)]) row.insertCell().textContent = text;
        return row;
      }),
    );
  say("variant", `${peaks.variant} (${peaks.backend})`);
  say("why", peaks.explanation.why);
  say(
    "time",
    `${spent.toFixed(2)} ms for ${windows.length * CHIRPS.length} correlations of ${WINDOW} points`,
  );
}

async function calibrate(): Promise<void> {
  const button = byId<HTMLButtonElement>("calibrate");
  const progress = byId<HTMLProgressElement>("progress");
  button.disabled = true;
  progress.removeAttribute("value");
  progress.hidden = false;
  try {
    const shape = { n: WINDOW, data: windowSpectra(signal).length / (2 * WINDOW), templates: CHIRPS.length };
    const { variant, us, before, raced } = await calibrateMatchedFilter(await theRuntime(), shape, {
      maxMilliseconds: CALIBRATION_MS,
      onProgress: (ready, of, next) => {
        progress.value = ready / of;
        say("status", `${ready} of ${of} ready, compiling ${next}`);
      },
    });
    const ran = raced.filter(({ samples }) => samples > 0).length;
    const gain = before.us ? `, ${(before.us / us).toFixed(2)} times as fast as before` : "";
    say("status", `calibrated: ${variant} is the fastest of ${ran}, ${us} us${gain}`);
  } finally {
    button.disabled = false;
    progress.hidden = true;
  }
  await show();
}

async function load(file: File): Promise<void> {
  if (/\.(txt|csv)$/i.test(file.name)) signal = parseNumbers(await file.text());
  else {
    const audio = await new OfflineAudioContext(1, 1, 44_100).decodeAudioData(await file.arrayBuffer());
    signal = Float64Array.from(audio.getChannelData(0));
  }
  await show();
}

/** Runs what a click or a drop asks for; what goes wrong is said on the page. */
function attempt(work: () => Promise<void>): void {
  work().catch((error: Error) => say("status", error.message));
}

const signals = byId<HTMLSelectElement>("signals");
signals.replaceChildren(...SAMPLES.map(({ name }) => new Option(name)));
signals.addEventListener("change", () => {
  signal = SAMPLES[signals.selectedIndex]!.samples();
  attempt(show);
});
byId("backend").addEventListener("change", () => attempt(show));
byId("calibrate").addEventListener("click", () => attempt(calibrate));
byId("file").addEventListener("change", (event) => {
  const file = (event.target as HTMLInputElement).files?.[0];
  if (file) attempt(() => load(file));
});
const drop = byId("drop");
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const file = (event as DragEvent).dataTransfer?.files[0];
  if (file) attempt(() => load(file));
});
attempt(show);
