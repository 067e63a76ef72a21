import type { CeilingKind, Probe } from "@tunelab/contract";
import {
  bindingDeclarations,
  block,
  extentsStruct,
  GROUP_BUILTINS,
  linearGroup,
  lines,
  times,
} from "@tunelab/variants";
import { dispatchStep, type Growth, growth, probe } from "./shape.ts";

const WORKGROUP = 256;

/**
 * Scalar multiply-adds written out in the loop's body. Below 256 the loop's own three instructions cost over 1% on a
 * GPU that issues one a cycle; above 1024 the text leaves small instruction caches.
 */
const WRITTEN_OUT = 512;

/** 4096 rounds are the most for which every sum below stays an integer that f32 holds exactly. */
const GROWTH: Growth = { groups: 128, rounds: 4, mostRounds: 4096 };

/** Chains of dependent multiply-adds an invocation, each on a vector of `width` components. */
export interface FmaShape {
  readonly name: string;
  readonly chains: number;
  readonly width: 1 | 2 | 4;
}

const BINDINGS = [
  { buffer: "coefficients", access: "read" },
  { buffer: "sums", access: "read-write" },
] as const;

/** Workgroups that one compute unit works off alone: 0.5 ms each on an H200, 10 ms on a software GPU. */
const UNIT_ROUNDS = 1024;

/** Most workgroups of the search for compute units: 8 rounds of 4096 units. */
const MOST_UNIT_GROUPS = 32_768;

interface Sizes {
  readonly groups: number;
  readonly rounds: number;
}

/**
 * Multiply-adds at full rate: `chains` independent chains, so that the latency of one hides behind the others. The
 * factor and the addend, both 1, arrive in a buffer where no compiler can see them; every chain adds 1 for each link, in integers
 * that f32 holds exactly, so that the sum an invocation stores is known to the bit, fused or not.
 */
export function fmaProbe(shape: FmaShape): Probe {
  return chainProbe(shape, {
    ceiling: "fma",
    doc: "at full rate",
    sizes: (scale) => growth(GROWTH, scale),
    amount: ({ groups, rounds }) => 2 * WRITTEN_OUT * rounds * groups * WORKGROUP,
  });
}

/** The same chains; the scale is the number of workgroups, each of which fills one compute unit for the same time. */
export function unitsProbe(shape: FmaShape): Probe {
  return chainProbe(shape, {
    ceiling: "units",
    doc: "one workgroup a unit of scale",
    sizes: (scale) => ({
      groups: Math.max(1, Math.min(MOST_UNIT_GROUPS, Math.floor(scale))),
      rounds: UNIT_ROUNDS,
    }),
    amount: ({ groups }) => groups,
  });
}

interface ChainParts {
  readonly ceiling: CeilingKind;
  readonly doc: string;
  sizes(scale: number): Sizes;
  amount(sizes: Sizes): number;
}

function chainProbe({ name, chains, width }: FmaShape, parts: ChainParts): Probe {
  const lanes = chains * width;
  const links = WRITTEN_OUT / lanes; // of each chain, a round
  const wgsl = fmaText(chains, width, links);
  return probe<Sizes>({
    name,
    ceiling: parts.ceiling,
    doc: `${chains} independent chains of ${width === 1 ? "f32" : `vec${width}f`} multiply-adds, ${links} links a round, ${parts.doc}`,
    sizes: (_capabilities, scale) => parts.sizes(scale),
    amount: parts.amount,
    inputs: () => ({ coefficients: new Float32Array([1, 1]) }),
    plan: ({ groups, rounds }) => ({
      buffers: [
        { name: "coefficients", role: "in", dtype: "f32", fixedBytes: 8, itemBytes: 0 },
        { name: "sums", role: "out", dtype: "f32", fixedBytes: groups * WORKGROUP * 4, itemBytes: 0 },
      ],
      wgsl,
      steps: [dispatchStep("main", BINDINGS, groups)],
      extents: { groups, rounds },
    }),
    verify: ({ sums }, { groups, rounds }) => {
      if (sums?.length !== groups * WORKGROUP) return false;
      return sums.every((sum, index) => sum === expectedSum(index, lanes, links * rounds));
    },
  });
}

/** Lane l of an invocation starts at (index mod 64) + l and gains 1 a link. */
function expectedSum(index: number, lanes: number, linksInAll: number): number {
  return lanes * ((index % 64) + linksInAll) + (lanes * (lanes - 1)) / 2;
}

function fmaText(chains: number, width: 1 | 2 | 4, links: number): string {
  const type = width === 1 ? "f32" : `vec${width}f`;
  const x = (chain: number): string => `x${chain}`;
  const names = Array.from({ length: chains }, (_, chain) => x(chain));
  const start = (chain: number): string =>
    Array.from({ length: width }, (_, lane) => `seed + ${chain * width + lane}.0f`).join(", ");
  const link = names.map((name) => `${name} = fma(${name}, a, b);`).join(" ");
  const total = names.join(" + ");
  return lines(
    extentsStruct(["groups", "rounds"]),
    bindingDeclarations(BINDINGS, { coefficients: "array<f32>", sums: "array<f32>" }),
    "",
    `@compute @workgroup_size(${WORKGROUP})`,
    block(
      `fn main(${GROUP_BUILTINS}, @builtin(local_invocation_index) local: u32)`,
      `let linear = ${linearGroup()};`,
      "if (linear >= extents.groups) { return; }",
      `let index = linear * ${WORKGROUP}u + local;`,
      "let seed = f32(index % 64u);",
      `let a = ${type}(coefficients[0]);`,
      `let b = ${type}(coefficients[1]);`,
      names.map((name, chain) => `var ${name} = ${type}(${start(chain)});`),
      block(
        "for (var round = 0u; round < extents.rounds; round += 1u)",
        times(links, () => link),
      ),
      `let all = ${total};`,
      width === 1
        ? "sums[index] = all;"
        : `sums[index] = ${[..."xyzw"]
            .slice(0, width)
            .map((component) => `all.${component}`)
            .join(" + ")};`,
    ),
    "",
  );
}
