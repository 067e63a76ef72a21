import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { programFor } from "../src/main.ts";
import { parseDuration } from "../src/options.ts";
import { lab } from "./collect.ts";

const WRONG: readonly (readonly [what: string, words: readonly string[], says: RegExp])[] = [
  ["kernel", ["tune", "--kernel", "gemmm"], /unknown kernel "gemmm": there is .*matched-filter/],
  ["kernel to print", ["wgsl", "gemmm"], /unknown kernel "gemmm": there is .*matched-filter/],
  ["device", ["tune", "--device", "tpu"], /unknown device tpu: this machine has \w+/],
  ["device to plan for", ["space", "matched-filter", "--device", "tpu"], /unknown device tpu/],
  ["profile", ["noise", "--profile", "fast"], /unknown profile "fast": there is portable, native/],
  ["strategy", ["tune", "--strategy", "luck"], /unknown strategy "luck": .*exhaustive.*random/],
  ["workload", ["tune", "--workload", "huge"], /unknown workload "huge": there is quick, standard, full/],
  ["budget", ["tune", "--budget", "soon"], /"soon" is no duration/],
  ["number of trials", ["tune", "--trials", "few"], /--trials takes a whole number/],
  ["empty budget", ["tune", "--trials", "0"], /--trials 0 would measure nothing/],
  ["seed", ["tune", "--seed", "-1"], /--seed takes a whole number/],
  ["samples", ["noise", "--samples", "many"], /--samples takes a whole number/],
  ["samples (NaN)", ["noise", "--samples", "NaN"], /--samples takes a whole number, not "NaN"/],
  ["samples (none)", ["noise", "--samples", "0"], /--samples takes 15 to 10000, not 0/],
  ["samples (too many)", ["noise", "--samples", "1000000"], /--samples takes 15 to 10000/],
  ["number of runs", ["error-rates", "--runs", "many"], /--runs takes a whole number, not "many"/],
  ["number of runs (none)", ["error-rates", "--runs", "0"], /--runs must be at least 1/],
  ["kernel to collapse", ["collapse", "gemmm"], /unknown kernel "gemmm"/],
  ["kernel without indices to collapse", ["collapse", "fft"], /fft has no index buffer .*: matched-filter/],
  ["kernel to pad", ["padding", "gemmm"], /unknown kernel "gemmm"/],
  ["device to fill", ["saturation", "matched-filter", "--device", "tpu"], /unknown device tpu/],
  ["padding steps", ["padding", "matched-filter", "--steps", "0"], /--steps takes 1 to 64, not 0/],
  ["padding steps (NaN)", ["padding", "matched-filter", "--steps", "NaN"], /--steps takes a whole number/],
  [
    "compute units",
    ["saturation", "matched-filter", "--compute-units", "0"],
    /--compute-units takes 1 to 4096, not 0/,
  ],
  [
    "compute units (NaN)",
    ["ceilings", "--compute-units", "NaN"],
    /--compute-units takes a whole number, not "NaN"/,
  ],
  [
    "batch",
    ["saturation", "matched-filter", "--problem", "n=64,pairs=0"],
    /pairs is 0, not a positive integer/,
  ],
  [
    "variant to collapse",
    ["collapse", "matched-filter", "--variant", "fused/colour=2"],
    /unknown parameter "colour"/,
  ],
  ["device of ceilings", ["ceilings", "--device", "tpu"], /unknown device tpu/],
  ["device to time", ["noise", "--device", "tpu"], /unknown device tpu: this machine has \w+/],
  ["dimension", ["wgsl", "matched-filter", "--problem", "m=4"], /no dimension "m": it has .*n/],
  ["length", ["wgsl", "matched-filter", "--problem", "n=100"], /100/],
  ["dimension (twice)", ["wgsl", "matched-filter", "--problem", "n=64,n=128"], /"n=64,n=128" gives n twice/],
  ["algorithm", ["wgsl", "matched-filter", "--variant", "magic"], /no algorithm "magic": it has .*fused/],
  [
    "port",
    ["report", "serve", "--port", "99999", "--no-notebooks"],
    /--port takes a number up to 65535, not 99999/,
  ],
  ["table to measure", ["tables", "--measure"], /--measure needs --only ID: `pnpm tables --list`/],
  [
    "study",
    ["tables", "--measure", "--only", "matched-filter/luck"],
    /no published table "matched-filter\/luck" to measure: there is .*matched-filter\/staging/,
  ],
  [
    "study that --check would measure",
    ["tables", "--measure", "--check", "--only", "matched-filter/staging"],
    /--check writes nothing and --measure does/,
  ],
  [
    "table to measure again",
    ["tables", "--measure", "--only", "gemmm", "--device", "swiftshader"],
    /has no published table of gemmm to measure again/,
  ],
  ["table", ["tables", "--check", "--only", "gemmm"], /nothing is published of "gemmm": there is .*matched/],
  ["table to be strict about", ["tables", "--strict"], /--strict goes with --check/],
  ["experiment", ["experiment", "run", "moon"], /there is no experiment "moon": there is .*radix-ladder/],
  [
    "experiment beside --all",
    ["experiment", "run", "moon", "--all"],
    /--all runs every experiment, not only moon/,
  ],
  [
    "journal (a folder)",
    ["results", "import", "/", "--out", tmpdir()],
    /\/ is a folder: name the journal file/,
  ],
  ["experiment meant", ["experiment", "run", "e"], /more than one experiment is "e"/],
  [
    "scale",
    ["experiment", "run", "radix-ladder", "--scale", "huge"],
    /unknown scale "huge": there is software/,
  ],
  ["experiment's name", ["experiment", "new", "../x"], /"..\/x" is no name for an experiment/],
  ["journal", ["experiment", "import", "/nowhere.jsonl"], /there is no journal at \/nowhere.jsonl/],
  [
    "parameter",
    ["wgsl", "matched-filter", "--variant", "fused/colour=2"],
    /unknown parameter "colour".*radix/,
  ],
  [
    "value",
    ["wgsl", "matched-filter", "--variant", "fused/radix=3"],
    /radix cannot be 3: choose one of 2, 4/,
  ],
];

describe("a command line that is wrong", () => {
  it.each(WRONG)(
    "an unknown %s is named in one line with what exists, exit 2",
    async (_what, words, says) => {
      const { code, out, notes } = await lab(words);
      expect(code).toBe(2);
      expect(out).toBe("");
      expect(notes).toMatch(says);
      expect(notes.trim().split("\n")).toHaveLength(1);
      expect(notes).not.toMatch(/^\s+at /m);
    },
  );

  it("an unknown option and an unknown command are usage errors too", async () => {
    expect((await lab(["tune", "--fast"])).code).toBe(2);
    expect((await lab(["brew"])).code).toBe(2);
  });

  it("a session to resume that does not exist is a usage error, before anything is measured", async () => {
    const { code, notes } = await lab(["results", "show", "nothing", "--out", "/tmp"]);
    expect(code).toBe(2);
    expect(notes).toContain("no session nothing");
  });
});

describe("help", () => {
  const program = programFor({
    out: () => {},
    note: () => {},
    interactive: false,
    signal: new AbortController().signal,
  }).commands;
  const commands = program.map((command) => command.name());

  it("every command below another shows an example", async () => {
    for (const above of program) {
      for (const below of above.commands) {
        const { out } = await lab([above.name(), below.name(), "--help"]);
        expect(out, `${above.name()} ${below.name()}`).toContain("Example:");
      }
    }
  });

  it("every command explains itself and offers --json", async () => {
    for (const name of commands) {
      const { code, out } = await lab([name, "--help"]);
      expect(code, name).toBe(0);
      expect(out, name).toContain("Usage:");
      if (!["results", "comparisons", "help"].includes(name)) {
        expect(out, name).toContain("Example:");
        expect(out, name).toContain("--json");
      }
    }
  });
});

describe("durations", () => {
  it("are read with their unit and never as zero", () => {
    expect(parseDuration("90s")).toBe(90_000);
    expect(parseDuration("1.5h")).toBe(5_400_000);
    expect(parseDuration("250ms")).toBe(250);
    for (const wrong of ["0s", "10", "s", "-3m", "1d", ""])
      expect(() => parseDuration(wrong)).toThrow(/duration/);
  });
});

describe("the help says what a choice means", () => {
  it.each(["tune", "compare", "ab"])("%s: native leaves out two guards, not one", async (command) => {
    const { out } = await lab([command, "--help"]);
    expect(out.replace(/\s+/g, " ")).toContain("native (robustness and workgroup zero-initialisation off)");
  });

  it("tune: kernels by default, on hardware and on the software GPU", async () => {
    const { out } = await lab(["tune", "--help"]);
    expect(out.replace(/\s+/g, " ")).toContain("all on hardware, matched-filter on the software GPU");
  });
});
