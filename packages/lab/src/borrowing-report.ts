import { columns, gridMarkdown } from "@tunelab/report";
import type { Borrowing, Member, Portfolio } from "@tunelab/selection";
import type { ReplayFile } from "@tunelab/tuner";

/** Configurations of several devices' replays as members: variants are their parameters' values. */
export function membersOf(files: readonly ReplayFile[]): readonly Member[] {
  return files.map(({ device, entries }) => ({
    name: device,
    times: new Map(
      entries.flatMap(({ config, ms }) => (ms === undefined ? [] : [[textOf(config), ms] as const])),
    ),
  }));
}

const textOf = (config: Readonly<Record<string, unknown>>): string =>
  Object.entries(config)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

/** Three decimals: finer than the fractions that decide. */
const fraction = (value: number): string => value.toFixed(3);

const best = ({ times }: Member): number => Math.min(...times.values());

const list = (variants: readonly string[]): string =>
  variants.map((variant) => `- \`${variant}\``).join("\n");

/** The page on what devices can borrow from each other. `command` is what writes it. */
export function borrowingPage(kernel: string, found: Borrowing, command: string): string {
  const { members, within, oneForAll, ofAtMost, smallest, leftOut, borrowed } = found;
  const names = members.map(({ name }) => name);
  const rowOf = (label: string, { variants, efficiency, worst }: Portfolio): readonly string[] => [
    ...[label, String(variants.length)],
    ...[...efficiency, worst].map(fraction),
  ];
  const share = `${Number((100 * within).toPrecision(3))}%`;
  return `${[
    `# What devices can borrow: ${kernel}`,
    `Written by \`${command}\`. Figures are best time over time reached, on spaces measured exhaustively; 1 is the best there is.`,
    "## The devices",
    gridMarkdown({
      columns: columns("device", "variants that ran", "best ms"),
      rows: members.map((member) => [member.name, String(member.times.size), best(member).toPrecision(4)]),
    }),
    "## Each device's best variant on the others",
    gridMarkdown({
      columns: columns("best of", ...names),
      rows: members.map((member, index) => [member.name, ...borrowed[index]!.map(fraction)]),
    }),
    "A device's own best is no advice for another: a borrowed winner is a guess.",
    "## Sets of variants, chosen with all devices measured",
    gridMarkdown({
      columns: columns("set", "variants", ...names, "worst"),
      rows: [
        rowOf("one for all", oneForAll),
        ...ofAtMost.slice(1).map((set, index) => rowOf(`at most ${index + 2}`, set)),
        rowOf(`smallest within ${share}`, smallest),
      ],
    }),
    `One variant for all: \`${oneForAll.variants[0]}\`.`,
    `The smallest set within ${share} of the best on every device${smallest.smallest ? "" : " that was found"}:`,
    list(smallest.variants),
    "## A device that was not measured",
    `Each device in turn left out; the sets are chosen from the others alone.`,
    gridMarkdown({
      columns: columns("left out", "one for all", `smallest within ${share}`, "variants"),
      rows: leftOut.map(({ member, oneForAll: one, set }) => [
        member,
        ...[fraction(one.efficiency), fraction(set.efficiency), String(set.variants.length)],
      ]),
    }),
    "What a new device loses without measuring is the distance of its row from 1: that is what a short race on the device itself (`calibrate`) recovers, and why the library asks for one.",
  ].join("\n\n")}\n`;
}
