/** A guard of the library: the text that makes it, what it is broken into, and the tests that then fail, these and no other. */
export interface Guard {
  readonly name: string;
  /** From `packages/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** From `packages/`; all tests of this file run. */
  readonly test: string;
  readonly red: readonly string[];
}

const LEDGER = "selection/src/known-faults/ledger.ts";
const LEDGER_TEST = "selection/test/known-faults.test.ts";
const REFUSED = "a text that runs into it is refused with the report, one that does not runs";

/** A fault of the ledger whose device is no longer recognised. */
const unmatched = (id: string, from: string, red: string): Guard => ({
  ...{
    name: `known fault ${id}`,
    file: LEDGER,
    from,
    to: "hits: () => false,",
    test: LEDGER_TEST,
    red: [red],
  },
});

export const GUARDS: readonly Guard[] = [
  {
    name: "group counts are checked before a launch",
    ...{ file: "executor/src/fold.ts", from: "if (count > limit ** 3) refuse", to: "if (count < 0) refuse" },
    test: "executor/test/fold.test.ts",
    red: ["refuses 9 groups at a limit of 2"],
  },
  {
    name: "workgroup indexes stay below 2^32",
    ...{
      file: "executor/src/fold.ts",
      from: "if (x * y * z > INDEXES) refuse",
      to: "if (x * y * z < 0) refuse",
    },
    test: "executor/test/fold.test.ts",
    red: ["refuses 4294967297 groups at a limit of 65535"],
  },
  {
    name: "what a plan needs is held against the device's limits",
    ...{
      file: "executor/src/executor.ts",
      from: "if (have === undefined || need <= have) return;",
      to: "if (need > 0) return;",
    },
    test: "executor/test/prepare.test.ts",
    red: ["names the feature or limit that a plan needs and the device lacks"],
  },
  {
    name: "a lack of memory is told as one",
    ...{
      file: "executor/src/scopes.ts",
      from: '["out-of-memory", "out-of-memory"]',
      to: '["out-of-memory", "validation"]',
    },
    test: "executor/test/prepare.test.ts",
    red: ["that runs out of memory is a fault of that kind, and leaves nothing allocated"],
  },
  {
    name: "a lost device rejects what comes later, at once",
    ...{ file: "executor/src/lifeline.ts", from: "if (this.#fault) {", to: "if (!promise) {" },
    test: "executor/test/lifeline.test.ts",
    red: ["rejects later calls at once, and swallows what they would have rejected with"],
  },
  {
    name: "a scope that nobody reads ends no process",
    ...{ file: "executor/src/scopes.ts", from: "  fault.catch(() => {});", to: "" },
    test: "executor/test/scopes.test.ts",
    red: ["that nobody reads end no process"],
  },
  {
    name: "a scope around a call that throws ends no process",
    ...{ file: "executor/src/scopes.ts", from: "for (const pop of popped) pop.catch(() => {});", to: "" },
    test: "executor/test/scopes.test.ts",
    red: ["around a call that throws end no process, and the call's own error is thrown"],
  },
  {
    name: "a cache that fails stops no call",
    ...{
      file: "runtime/src/runtime.ts",
      from: "} catch {\n      return undefined;\n    }\n  }\n\n  #close",
      to: "} catch (error) {\n      throw error;\n    }\n  }\n\n  #close",
    },
    test: "runtime/test/faults.test.ts",
    red: ["end the call that they belong to, and none ends the process"],
  },
  {
    name: "a device of the caller's is replaced by the caller alone",
    ...{
      file: "runtime/src/runtime.ts",
      from: "(own.device || own.adapter) && !options.device",
      to: "own.adapter && !options.device",
    },
    test: "runtime/test/faults.test.ts",
    red: ["that was the caller's is only replaced by another of the caller's"],
  },
  {
    name: "the memory budget is the application's",
    ...{
      file: "runtime/src/runtime.ts",
      from: "kernelsKept: KERNELS_KEPT, budgets }",
      to: "kernelsKept: KERNELS_KEPT }",
    },
    test: "runtime/test/faults.test.ts",
    red: ["is refused beforehand by the memory budget, which the application sets"],
  },
  {
    name: "disposal gives every buffer back",
    ...{ file: "runtime/src/runtime.ts", from: "this.#gpu?.executor.dispose();", to: "" },
    test: "runtime/test/faults.test.ts",
    red: ["a thousand made and disposed of on one device leave no buffer, and one handler on its loss"],
  },
  {
    name: "only a variant's own failure lets the next one try",
    ...{
      file: "runtime/src/operation.ts",
      from: "if (!VARIANT_FAULTS.includes(last.kind)) throw last;",
      to: "",
    },
    test: "runtime/test/runtime.test.ts",
    red: ["a lost device ends the call instead of trying every variant on it"],
  },
  {
    name: "events are told once",
    ...{ file: "runtime/src/events.ts", from: "if (this.#told.has(whole)) return;", to: "" },
    test: "runtime/test/runtime.test.ts",
    red: [
      "a table of another vendor is borrowed, told once, with the row that exists no more refused",
      "a variant that does not compile gives way to the next and is reported once",
    ],
  },
  {
    name: "a pinned variant that cannot run throws",
    ...{
      file: "selection/src/select.ts",
      from: "if (this.#refused.length > 0) throw (await",
      to: "if (this.#refused.length < 0) throw (await",
    },
    test: "runtime/test/runtime.test.ts",
    red: ["runs, and one that cannot run throws instead of running another"],
  },
  {
    name: "a race turns down wrong answers",
    ...{ file: "runtime/src/calibrate/lane.ts", from: "if (wrong) throw", to: "if (!verify) throw" },
    test: "runtime/test/runtime.test.ts",
    red: ["an operation of one's own needs no tables, runs, binds, and races with a check of one's own"],
  },
  {
    name: "a shipped table is held against its checksum",
    ...{ file: "selection/src/shelf.ts", from: "if (got !== checksum) {", to: 'if (got === "") {' },
    test: "selection/test/ship.test.ts",
    red: ["a time changed", "an entry lost", "a field lost"].map(
      (what) => `${what} is a data fault that names the table and both checksums`,
    ),
  },
  {
    name: "known fault nvidia-binding-over-2-gib",
    ...{
      file: LEDGER,
      from: 'atMost(capabilities, "maxStorageBufferBindingSize", SIGNED_BYTES)',
      to: "capabilities",
    },
    test: LEDGER_TEST,
    red: ["NVIDIA's bindings end below 2 GiB, other vendors' do not"],
  },
  {
    name: "known fault intel-narrow-subgroups",
    ...{ file: LEDGER, from: "minimum: INTEL_LANES }", to: "minimum: subgroup.minimum }" },
    test: LEDGER_TEST,
    red: ["Intel's subgroups may be as narrow as 8, whatever they say, and none are made up"],
  },
  {
    ...unmatched("apple-barrier-in-part-of-a-simdgroup", "", ""),
    from: "workgroupBytes > 0 && invocations < APPLE_LANES",
    to: "workgroupBytes < 0 && invocations < APPLE_LANES",
    red: [`apple-barrier-in-part-of-a-simdgroup: ${REFUSED}`],
  },
  unmatched(
    "apple-naga-uniform-load",
    "hits: (_, text) => /\\bworkgroupUniformLoad\\b/.test(text),",
    `apple-naga-uniform-load: ${REFUSED}`,
  ),
  unmatched(
    "apple-u32-remainder",
    "hits: (_, text) => REMAINDER_BY_VARIABLE.test(text),",
    `apple-u32-remainder: ${REFUSED}`,
  ),
  unmatched(
    "qualcomm-clamp-of-nan",
    "hits: (_, text) => CLAMPS_FLOATS.test(text),",
    `qualcomm-clamp-of-nan: ${REFUSED}`,
  ),
  {
    name: "the runtime relies on no more than the ledger leaves",
    ...{
      file: "runtime/src/open.ts",
      from: "capabilities: amended(capabilities, faults)",
      to: "capabilities",
    },
    test: "runtime/test/known-faults.test.ts",
    red: [
      "a runtime on nvidia relies on bindings of 2147483644 bytes and subgroups from 16 on",
      "a runtime on intel relies on bindings of 4294967292 bytes and subgroups from 8 on",
    ],
  },
  {
    name: "selection is told of the device's faults",
    ...{ file: "runtime/src/runtime.ts", from: "...{ ...info, faults },", to: "...info," },
    test: "runtime/test/known-faults.test.ts",
    red: ["a runtime refuses a pinned variant that runs into one, naming the report"],
  },
];
