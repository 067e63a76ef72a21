/** Every form with its defaults; the tridiagonal one with either solver. */
export const FORMS: Readonly<Record<string, readonly [algorithm: string, change: object]>> = {
  scalar: ["scalar", {}],
  "one-sided": ["one-sided", {}],
  block: ["block", {}],
  "tridiagonal-ql": ["tridiagonal", { solver: "ql", sweeps: 2 }],
  "tridiagonal-divide": ["tridiagonal", { solver: "divide", sweeps: 2 }],
};
