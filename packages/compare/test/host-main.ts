/**
 * A device host whose comparisons run for real and are timed by a clock that reads the text: 5% more for each barrier, 3% for every
 * other instance of a text in which `its place counts`, up to 5%, by all of the text, where `its code counts`. A `short` text takes
 * 170 ns, 3% less where it is `shorter`, and each pass 33 ns beside. The first word of `partial` is another at each look where `its
 * bits vary`.
 */

import { Fault, type Plan, stagesOf } from "@tunelab/contract";
import { serveHost } from "@tunelab/devices/host";
import type { Instance, PassTime, Run } from "@tunelab/executor";

const PLAIN_NS = 400_000;
const BARRIER = 0.05;
const PLACE = 0.03;
const CODE = 0.05;
const SHORT_NS = 170;
const SHORTER = 0.03;
const PASS_NS = 33;

let now = 1_000_000n;
let state = 12_345;
let placed = 0;
let reads = 0;

/** Up to 0.2% of noise either way, the same in every run. */
function noise(): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return 1 + 0.002 * (state / 1_073_741_824 - 1);
}

const barriersOf = ({ modules }: Plan): number =>
  modules.reduce((count, { wgsl }) => count + wgsl.split("workgroupBarrier()").length - 1, 0);

/** A number from 0 to 1 that any change of the texts changes (FNV-1a, its upper half). */
function chanceOf({ modules }: Plan): number {
  let hash = 0x811c9dc5;
  for (const { wgsl } of modules)
    for (const letter of wgsl) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193);
  return (hash >>> 16) / 0x10000;
}

const says = ({ modules }: Plan, words: string): boolean => modules.some(({ wgsl }) => wgsl.includes(words));

function instrument(instance: Instance, plan: Plan): Instance {
  const counts = says(plan, "its place counts");
  if (counts) placed += 1;
  const place = counts ? PLACE * (placed % 2) : 0;
  const code = says(plan, "its code counts") ? CODE * chanceOf(plan) : 0;
  const short = says(plan, "short");
  const own = short ? SHORT_NS * (1 - (says(plan, "shorter") ? SHORTER : 0)) : PLAIN_NS;
  const ns = own * (1 + BARRIER * barriersOf(plan)) * (1 + place) * (1 + code);
  // What was run since the last words came in need not run again: only its time is wanted.
  let ran: Run | undefined;
  const anew = (): void => {
    ran = undefined;
  };
  return {
    get cut() {
      return instance.cut;
    },
    write: (ports) => {
      anew();
      instance.write(ports);
    },
    poison: () => {
      anew();
      instance.poison();
    },
    read: async (ports) => {
      const data = await instance.read(ports);
      if (data.partial && says(plan, "its bits vary")) data.partial[0] = 1 + reads++;
      return data;
    },
    recut: (ms) => instance.recut(ms),
    encode: (encoder) => instance.encode(encoder),
    dispose: () => instance.dispose(),
    run: async ({ repeats = 1, timing = "none" } = {}) => {
      // Twice shows what once cannot: a second repeat that finds its work done.
      ran ??= await instance.run({ timing, repeats: Math.min(repeats, 2) });
      const stages = timing === "stages" ? stagesOf(plan) : ["total"];
      const passes = stages.map((stage): PassTime => {
        const begin = now;
        now += BigInt(Math.round((ns * repeats * noise() + (short ? PASS_NS : 0)) / stages.length));
        return { stage, repeat: 0, begin, end: now };
      });
      return { ...ran, passes, wallMs: (ns * repeats * 1.1) / 1e6 };
    },
  };
}

serveHost({
  suite: async (name) => {
    throw new Fault("usage", `no operation ${name}`);
  },
  probes: [],
  instrument,
});
