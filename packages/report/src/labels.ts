import { type Problem, problemKey } from "@tunelab/contract";

/** Short names for problems that are shown together. */
export interface ProblemLabels {
  /** What distinguishes a problem from the others; its whole key when nothing does. */
  readonly label: (problem: Problem) => string;
  /** What all of them share, empty when nothing. */
  readonly common: string;
}

/** Splits problems into what they share, told once, and what tells them apart. */
export function problemLabels(problems: readonly Problem[]): ProblemLabels {
  const [first = {}] = problems;
  const shared = Object.keys(first).filter((name) =>
    problems.every((problem) => problem[name] === first[name]),
  );
  const varies = problems.some((problem) => Object.keys(problem).some((name) => !shared.includes(name)));
  if (!varies) return { label: problemKey, common: "" };
  return {
    label: (problem) => problemKey(pick(problem, (name) => !shared.includes(name))),
    common: problemKey(pick(first, (name) => shared.includes(name))),
  };
}

function pick(problem: Problem, wanted: (name: string) => boolean): Problem {
  return Object.fromEntries(Object.entries(problem).filter(([name]) => wanted(name)));
}

/** Parts of a variant's id: its algorithm, then `name=value` each. */
const partsOf = (variant: string): readonly string[] => variant.split(/[/,]/);

/** Short names for variants that are shown together: the algorithm, and the settings that not all variants of it here share. */
export function variantLabels(variants: readonly string[]): (variant: string) => string {
  return (variant) => {
    const [algorithm = "", ...settings] = partsOf(variant);
    const kin = variants.map(partsOf).filter(([name]) => name === algorithm);
    const told = settings.filter((setting) => kin.some((parts) => !parts.includes(setting)));
    return told.length > 0 ? `${algorithm}/${told.join(",")}` : algorithm;
  };
}
