import { Fault, flatSteps, type Plan } from "@tunelab/contract";

const PADDING = "tunelabPadding";

/** Bytes of padding come in whole 16-byte steps, the coarsest alignment of workgroup variables. */
export const PADDING_STEP = 16;

/**
 * The plan with `bytes` of unused workgroup memory in every entry point that is timed: the same kernel at a lower occupancy.
 * A guard that no batch meets (2^32 - 1 items) writes the padding, reads it back and may end the workgroup by what it read, so
 * that no compiler can leave it out; one comparison of a uniform is all that runs. Under default toggles the device also
 * zeroes the padding at the start of each workgroup; `native` shows occupancy alone.
 * @throws Fault `usage` unless bytes are a positive multiple of 16, `unsupported` where the text has no extents uniform.
 */
export function padPlan(plan: Plan, bytes: number): Plan {
  if (!Number.isSafeInteger(bytes) || bytes <= 0 || bytes % PADDING_STEP !== 0) {
    throw new Fault("usage", `padding of ${bytes} bytes: give a positive multiple of ${PADDING_STEP}`);
  }
  const words = bytes / 4;
  const timed = [...flatSteps(plan.steps.filter(({ kind }) => kind !== "once"))];
  const modules = plan.modules.map(({ name, wgsl }) => {
    const entries = new Set(
      timed.flatMap((step) => ("entry" in step && step.module === name ? step.entry : [])),
    );
    if (entries.size === 0) return { name, wgsl };
    if (!/var<uniform>\s+extents\b/.test(wgsl)) {
      throw new Fault("unsupported", `module ${name} declares no uniform named extents: padding needs it`);
    }
    const guarded = [...entries].reduce((text, entry) => intoBody(text, entry, guard(words)), wgsl);
    return { name, wgsl: `${guarded.trimEnd()}\n\nvar<workgroup> ${PADDING}: array<u32, ${words}>;\n` };
  });
  return { ...plan, modules };
}

const guard = (words: number): string => {
  const place = `${PADDING}[extents.first % ${words}u]`;
  return [
    "if (extents.total == 4294967295u) {",
    `${place} = extents.items;`,
    `if (workgroupUniformLoad(&${place}) == extents.iteration) { return; }`,
    "}",
  ].join(" ");
};

/** Puts a statement first in the body of a function. @throws Fault `unsupported` where the text has no such function. */
function intoBody(wgsl: string, entry: string, statement: string): string {
  const head = new RegExp(`\\bfn\\s+${entry}\\s*\\(`).exec(wgsl);
  // Parameters hold parentheses of their own: @builtin(workgroup_id).
  let depth = head ? 1 : 0;
  let at = head ? head.index + head[0].length : wgsl.length;
  for (; depth > 0 && at < wgsl.length; at += 1) {
    if (wgsl[at] === "(") depth += 1;
    else if (wgsl[at] === ")") depth -= 1;
  }
  const body = wgsl.indexOf("{", at);
  if (body < 0) throw new Fault("unsupported", `the text has no function ${entry} to pad`);
  return `${wgsl.slice(0, body + 1)}\n  ${statement}${wgsl.slice(body + 1)}`;
}
