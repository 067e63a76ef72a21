/**
 * Every form with its defaults; the tridiagonal one with either solver, and with a workgroup a matrix at every order: the software GPU needs 20 times as long for
 * several, which add up the same terms.
 */
export const FORMS: Readonly<Record<string, readonly [algorithm: string, change: object]>> = {
  scalar: ["scalar", {}],
  "one-sided": ["one-sided", {}],
  block: ["block", {}],
  "tridiagonal-ql": ["tridiagonal", { groups: 1, solver: "ql", sweeps: 2 }],
  "tridiagonal-divide": ["tridiagonal", { groups: 1, solver: "divide", sweeps: 2 }],
};
