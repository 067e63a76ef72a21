import { asFault, Fault, firstLine, flatSteps, type ModuleSpec, type Plan } from "@tunelab/contract";
import { STAGE_COMPUTE } from "./flags.ts";
import type { Lifeline } from "./lifeline.ts";
import { scoped } from "./scopes.ts";

/** Dispatches that differ in bindings' buffers or group counts alone share one of these. */
export interface Kernel {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

type KernelStep = Extract<
  ReturnType<typeof flatSteps> extends Generator<infer S> ? S : never,
  { module: string }
>;

const BINDING_TYPES = { read: "read-only-storage", "read-write": "storage", uniform: "uniform" } as const;

/** Key of the kernel of a dispatch: module, entry and the access of each binding. */
export function kernelKey(step: KernelStep): string {
  return `${step.module}/${step.entry}/${step.bindings.map(({ access }) => access).join(",")}`;
}

/**
 * Compiles every module and pipeline of a plan, pipelines side by side.
 * @throws Fault `validation` with module, line, column, message and the line of text.
 */
export async function compile(
  device: GPUDevice,
  lifeline: Lifeline,
  plan: Plan,
  extentsBytes: number,
): Promise<ReadonlyMap<string, Kernel>> {
  const modules = new Map<string, GPUShaderModule>();
  const building: Promise<void>[] = [];
  for (const spec of plan.modules) {
    const { value, fault } = scoped(device, `module ${spec.name}`, () =>
      device.createShaderModule({ label: spec.name, code: spec.wgsl }),
    );
    modules.set(spec.name, value);
    building.push(lifeline.guard(checkModule(spec, value, fault)));
  }
  await settle(building);

  const kernels = new Map<string, Kernel>();
  const compiling: Promise<void>[] = [];
  for (const step of flatSteps(plan.steps)) {
    if (step.kind !== "dispatch" && step.kind !== "indirect") continue;
    const key = kernelKey(step);
    if (kernels.has(key)) continue;
    const what = `${step.module}.${step.entry}`;
    const { value, fault } = scoped(device, what, () => {
      const layout = device.createBindGroupLayout({
        label: what,
        entries: [
          {
            binding: 0,
            visibility: STAGE_COMPUTE,
            buffer: { type: "uniform", hasDynamicOffset: true, minBindingSize: extentsBytes },
          },
          ...step.bindings.map(({ access }, index) => ({
            binding: index + 1,
            visibility: STAGE_COMPUTE,
            buffer: { type: BINDING_TYPES[access] },
          })),
        ],
      });
      const pipeline = device.createComputePipelineAsync({
        label: what,
        layout: device.createPipelineLayout({ label: what, bindGroupLayouts: [layout] }),
        compute: { module: modules.get(step.module)!, entryPoint: step.entry },
      });
      pipeline.catch(() => {});
      return { layout, pipeline };
    });
    const entry = { layout: value.layout } as { layout: GPUBindGroupLayout; pipeline: GPUComputePipeline };
    kernels.set(key, entry);
    compiling.push(
      lifeline.guard(
        fault.then(async (found) => {
          if (found) throw found;
          try {
            entry.pipeline = await value.pipeline;
          } catch (error) {
            lifeline.check();
            const text = asFault(error, "validation").message;
            throw new Fault("validation", `pipeline ${what}: ${text}`, {
              phase: "pipeline",
              module: step.module,
            });
          }
        }),
      ),
    );
  }
  await settle(compiling);
  return kernels;
}

/** Waits for all, so that none is left to reject unheard, then throws the first failure. */
async function settle(promises: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === "rejected") throw result.reason;
  }
}

async function checkModule(
  spec: ModuleSpec,
  module: GPUShaderModule,
  scope: Promise<Fault | undefined>,
): Promise<void> {
  const [fault, info] = await Promise.all([scope, module.getCompilationInfo()]);
  const error = info.messages.find(({ type }) => type === "error");
  if (error) {
    const { lineNum: line, linePos: column } = error;
    const text = spec.wgsl.split("\n")[line - 1]?.trim() ?? "";
    throw new Fault(
      "validation",
      `module ${spec.name}, line ${line}, column ${column}: ${firstLine(error.message)}: ${text}`,
      { phase: "compile", module: spec.name, line, column, message: error.message, text },
    );
  }
  if (fault) throw fault;
}
