/**
 * A device host whose comparisons run for real and are timed by a clock that reads the text: 5% more for each barrier, and 3% for
 * every other instance of a text in which `its place counts`.
 */

import { Fault, type Plan, stagesOf } from "@tunelab/contract";
import { serveHost } from "@tunelab/devices/host";
import type { Instance, PassTime } from "@tunelab/executor";

const PLAIN_NS = 400_000;
const BARRIER = 0.05;
const PLACE = 0.03;

let now = 1_000_000n;
let state = 12_345;
let placed = 0;

/** Up to 0.2% of noise either way, the same in every run. */
function noise(): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return 1 + 0.002 * (state / 1_073_741_824 - 1);
}

const barriersOf = ({ modules }: Plan): number =>
  modules.reduce((count, { wgsl }) => count + wgsl.split("workgroupBarrier()").length - 1, 0);

function instrument(instance: Instance, plan: Plan): Instance {
  const counts = plan.modules.some(({ wgsl }) => wgsl.includes("its place counts"));
  if (counts) placed += 1;
  const ns = PLAIN_NS * (1 + BARRIER * barriersOf(plan)) * (1 + (counts ? PLACE * (placed % 2) : 0));
  return {
    get cut() {
      return instance.cut;
    },
    write: (ports) => instance.write(ports),
    poison: () => instance.poison(),
    read: (ports) => instance.read(ports),
    recut: (ms) => instance.recut(ms),
    encode: (encoder) => instance.encode(encoder),
    dispose: () => instance.dispose(),
    run: async ({ repeats = 1, timing = "none" } = {}) => {
      const run = await instance.run({ timing });
      const stages = timing === "stages" ? stagesOf(plan) : ["total"];
      const passes = stages.map((stage): PassTime => {
        const begin = now;
        now += BigInt(Math.round((ns * repeats * noise()) / stages.length));
        return { stage, repeat: 0, begin, end: now };
      });
      return { ...run, passes, wallMs: (ns * repeats * 1.1) / 1e6 };
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
