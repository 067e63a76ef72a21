import { type Config, Fault, type Value } from "@tunelab/contract";
import { repeatedKey } from "./repeated-key.ts";

/** A parameter of a measured space. */
export interface ReplayParameter {
  readonly name: string;
  readonly values: readonly Value[];
}

/** One measured configuration. */
export interface ReplayEntry {
  readonly config: Config;
  /** Mean time in ms; absent when it failed. */
  readonly ms?: number;
  /** Raw repeats in ms, where the file keeps them. */
  readonly repeatsMs?: readonly number[];
  /** Why it failed, in the words of its tuner. */
  readonly failure?: string;
}

/** An exhaustively measured space: what a strategy is replayed on. */
export interface ReplayFile {
  readonly kernel: string;
  readonly device: string;
  readonly parameters: readonly ReplayParameter[];
  readonly entries: readonly ReplayEntry[];
}

/**
 * Reads the cache format of Kernel Tuner: `tune_params_keys`, `tune_params` and `cache`, an object whose keys are the values
 * joined by commas. `name` names the file in messages. @throws Fault `data`, one line, for anything cut off, ambiguous or
 * not a measurement: a replay of half a space would score a strategy on a space that does not exist.
 */
export function parseReplay(text: string, name: string): ReplayFile {
  const refuse = (why: string): never => {
    throw new Fault("data", `${name}: ${why}`);
  };
  const file = parsed(text, refuse);
  const twice = repeatedKey(text);
  if (twice !== undefined)
    refuse(`the key "${twice}" comes twice in one object: one of the two would be lost`);
  const parameters = parametersOf(file, refuse);
  const { cache } = file;
  if (!isRecord(cache)) return refuse('there is no object "cache": this is no replay file');
  const seen = new Map<string, string>();
  const entries = Object.entries(cache).map(([key, value]) => {
    const entry = entryOf(key, value, parameters, refuse);
    const places = parameters.map(({ name: one, values }) => values.indexOf(entry.config[one]!)).join(",");
    const other = seen.get(places);
    if (other !== undefined) refuse(`"${other}" and "${key}" are the same configuration`);
    seen.set(places, key);
    return entry;
  });
  if (!entries.some(({ ms }) => ms !== undefined)) refuse("no configuration has a time");
  const text_ = (value: unknown): string => (typeof value === "string" ? value : "");
  return { kernel: text_(file.kernel_name), device: text_(file.device_name), parameters, entries };
}

type Refuse = (why: string) => never;
type Loose = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(text: string, refuse: Refuse): Loose {
  try {
    const file: unknown = JSON.parse(text);
    return isRecord(file) ? file : refuse("this is no JSON object");
  } catch (error) {
    if (error instanceof Fault) throw error;
    const number = /[[:,]\s*(-?(?:NaN|Infinity))\b/.exec(text)?.[1];
    if (number) return refuse(`it holds ${number}, which is no time: a failed configuration has a word`);
    if (isCutOff(String(error), text)) return refuse("the JSON is cut off: fetch the file again");
    return refuse(`this is no JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** Whether a parser's complaint is that the text ends too early. */
function isCutOff(complaint: string, text: string): boolean {
  const position = /position (\d+)/.exec(complaint)?.[1];
  return (
    /end of JSON input|Unterminated/.test(complaint) ||
    (position !== undefined && Number(position) >= text.trimEnd().length)
  );
}

function parametersOf(file: Loose, refuse: Refuse): readonly ReplayParameter[] {
  const { tune_params_keys: names, tune_params: lists } = file;
  if (!Array.isArray(names) || names.length === 0 || !isRecord(lists)) {
    return refuse('there are no "tune_params_keys" and "tune_params": this is no replay file');
  }
  return names.map((name: unknown) => {
    const values = typeof name === "string" ? lists[name] : undefined;
    if (typeof name !== "string" || !Array.isArray(values) || values.length === 0) {
      return refuse(`the parameter "${name}" has no list of values`);
    }
    const wrong = values.find((value: unknown) => !isValue(value));
    if (wrong !== undefined) return refuse(`${name} lists ${JSON.stringify(wrong)}, which is no value`);
    const texts = (values as Value[]).map(String);
    const comma = texts.find((text) => text.includes(","));
    if (comma) return refuse(`${name} has the value "${comma}": keys joined by commas cannot tell it apart`);
    const alike = texts.find((text, index) => texts.indexOf(text) !== index);
    if (alike !== undefined)
      return refuse(`${name} has two values written ${alike}: keys cannot tell them apart`);
    return { name, values: values as Value[] };
  });
}

const isValue = (value: unknown): value is Value =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);

function entryOf(
  key: string,
  value: unknown,
  parameters: readonly ReplayParameter[],
  refuse: Refuse,
): ReplayEntry {
  if (!isRecord(value)) return refuse(`the entry "${key}" is no object`);
  const pieces = key.split(",");
  const config: Record<string, Value> = {};
  for (const [index, { name, values }] of parameters.entries()) {
    const chosen = value[name] as Value;
    if (!values.includes(chosen)) {
      return refuse(
        `the entry "${key}" has ${name}=${JSON.stringify(value[name])}, which ${name} does not list`,
      );
    }
    if (pieces.length !== parameters.length || !sameValue(pieces[index]!, chosen)) {
      return refuse(`the key "${key}" does not name its own parameters (${name}=${chosen})`);
    }
    config[name] = chosen;
  }
  const { time, times } = value;
  if (typeof time === "string") {
    if (time.trim() !== "" && !Number.isNaN(Number(time))) {
      return refuse(`the time of "${key}" is the text "${time}": a time is a number, a failure a word`);
    }
    return { config, failure: time.trim() || "failed" };
  }
  if (!positive(time))
    return refuse(`the time of "${key}" is ${JSON.stringify(time)}: it must be above 0 ms`);
  const repeats = Array.isArray(times) && times.length > 0 && times.every(positive);
  return { config, ms: time, ...(repeats ? { repeatsMs: times as number[] } : {}) };
}

const positive = (value: unknown): value is number => typeof value === "number" && value > 0 && value < 1e300;

/** Whether a piece of a key stands for a value: Python writes True for true, and 1.0 where JSON gives 1. */
function sameValue(piece: string, value: Value): boolean {
  if (typeof value === "boolean") return piece.toLowerCase() === String(value);
  return piece === String(value) || (typeof value === "number" && piece !== "" && Number(piece) === value);
}
