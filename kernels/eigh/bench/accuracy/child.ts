import { type Algorithm, type Capabilities, planHash } from "@tunelab/contract";
import { capabilitiesOf, Executor, requestDeviceFor } from "@tunelab/executor";
import { checkConfig } from "@tunelab/variants";
import { create, globals } from "webgpu";
import { type EighProblem, operation } from "../../src/index.ts";
import { type Errors, eighProblem, type Judge, judgeOf, KINDS, kindOf, suite } from "../../src/suite.ts";
import { FORMS } from "./forms.ts";
import { FAILED, failureText } from "./options.ts";
import { addRow, type Row, recordOf, type Worst } from "./records.ts";

// Started by accuracy.ts with the software GPU's environment: forms and orders, both separated by commas.
const [forms, orders] = process.argv.slice(2).map((list) => list.split(",")) as [string[], string[]];
// The whole reason is one line; accuracy.ts adds nothing to it.
process.on("uncaughtException", (error) => {
  console.error(failureText(error));
  process.exit(FAILED);
});
Object.assign(globalThis, globals);
// Referenced for as long as devices live, or the process crashes in the driver thread.
const gpu = create([]);
const adapter = (await gpu.requestAdapter())!;
const device = await requestDeviceFor(adapter);
const capabilities: Capabilities = capabilitiesOf(device, adapter.info);
const executor = new Executor(device, capabilities, { clock: performance });

for (const n of orders.map(Number)) {
  const problem = eighProblem(n, KINDS.length, { spectrum: "mixed", pad: n % 3, gap: n % 5 });
  const inputs = suite.inputs(problem, n);
  const judge = judgeOf(problem, inputs);
  for (const form of forms) {
    const [name, change] = FORMS[form]!;
    const algorithm = (await operation.algorithms[name]!()) as Algorithm<EighProblem>;
    const config = { ...algorithm.defaultConfig(problem, capabilities), ...change };
    if (checkConfig(algorithm.space(problem), config)) continue;
    const plan = algorithm.plan(problem, config, capabilities);
    const hash = await planHash(plan);
    const known = (await recordOf(form))?.rows.find((row) => row.n === n);
    if (known?.plan === hash) continue;
    const start = performance.now();
    const instance = await (await executor.prepare(plan)).bind(inputs);
    instance.poison();
    const { probes } = await instance.run();
    const ran = performance.now() - start;
    const row = rowOf(problem, hash, judge, await instance.read(), probes["report.sweeps"]!);
    instance.dispose();
    await addRow(form, adapter.info.description, row);
    const errors = [row.residual, row.orthogonality, row.value].map(({ error }) => error.toFixed(2));
    console.error(
      `${form} ${n}: ${row.right}/${row.matrices}, ${errors.join(" ")} n eps, ${(ran / 1e3).toFixed(1)} s, ${row.faults ?? ""}`,
    );
  }
}
process.exit(0);

function rowOf(
  problem: EighProblem,
  plan: string,
  judge: Judge,
  outputs: Parameters<Judge>[0],
  sweeps: number,
): Row {
  const worst: { -readonly [name in keyof Errors]: Worst } = {
    residual: { error: 0, kind: "" },
    orthogonality: { error: 0, kind: "" },
    value: { error: 0, kind: "" },
  };
  const faults: string[] = [];
  for (let item = 0; item < problem.batch; item++) {
    const kind = kindOf(problem, item).name;
    const found = judge(outputs, item, true);
    const names = Object.keys(worst) as (keyof Errors)[];
    const fault =
      typeof found === "string"
        ? found
        : names
            .filter((name) => !Number.isFinite(found[name]))
            .map((name) => `${name} is off by ${found[name]} n eps`)
            .join(", ");
    if (fault !== "") faults.push(`${kind}: ${fault}`);
    if (typeof found === "string" || fault !== "") continue;
    for (const name of names) {
      if (found[name] > worst[name].error) worst[name] = { error: found[name], kind };
    }
  }
  return {
    n: problem.n,
    plan,
    matrices: problem.batch,
    right: problem.batch - faults.length,
    ...worst,
    sweeps,
    ...(faults.length > 0 ? { faults } : {}),
  };
}
