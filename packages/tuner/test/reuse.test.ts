import {
  CONTRACT_VERSION,
  PROTOCOL_VERSION,
  type SessionEvidence,
  type SessionHeader,
  type Space,
  type Trial,
} from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { changedConditions, reusable } from "../src/index.ts";
import { certified, session } from "./bed.ts";
import { DEVICE } from "./fakes.ts";
import { algorithmNamed, toySuite } from "./toy.ts";

/** The toy's space with one more value of `x`. */
const withValue = (space: Space): Space => ({
  ...space,
  parameters: space.parameters.map((one) =>
    one.name === "x" ? { ...one, values: [...one.values, 20] } : one,
  ),
});

const HEADER: SessionHeader = {
  id: "S0",
  startedAt: "2026-01-01T00:00:00.000Z",
  protocol: PROTOCOL_VERSION,
  contract: CONTRACT_VERSION,
  toolVersion: "0.1.0",
  commit: "",
  dirty: false,
  device: DEVICE,
  deviceSlug: "toy",
  profile: "portable",
  toggles: ["a", "b"],
  host: { platform: "linux", runtime: "node", cpu: "one", cores: 2, loadAverage: 0 },
  command: { operations: ["toy"], workload: "quick", strategy: "random", budgetMs: 1, seed: 1 },
};

const evidence = (header: Partial<SessionHeader>, trials: readonly Trial[]): SessionEvidence => ({
  header: { ...HEADER, ...header },
  events: [],
  trials,
});

const identity = (change: Partial<SessionHeader["device"]["identity"]>): Partial<SessionHeader> => ({
  device: { ...DEVICE, identity: { ...DEVICE.identity, ...change } },
});

describe("a resumed session", () => {
  const answer = ({ config }: { config: { x?: unknown } }) =>
    config.x === 3 ? ({ status: "hung" } as const) : { ns: 1_000 + Number(config.x) };

  it("measures nothing again and goes on with the sequence", async () => {
    const before = await session({ answer, tune: { budgetMs: 2_000 } });
    const after = await session({
      answer,
      tune: {
        budgetMs: 100_000,
        earlier: before.result.trials,
        firstSequence: before.result.trials.length,
      },
    });
    const done = new Set(before.result.trials.map(({ planHash, grade }) => `${planHash} ${grade}`));
    expect(done.size).toBeGreaterThan(5);
    for (const { planHash, grade } of after.result.trials) expect(done).not.toContain(`${planHash} ${grade}`);
    expect(after.result.reused).toBe(before.result.trials.length);
    expect(after.result.problems[0]).toMatchObject({ screened: 40, complete: true });
    expect(after.result.trials.map(({ sequence }) => sequence)).toEqual(
      after.result.trials.map((_, index) => before.result.trials.length + index),
    );
  });

  it("measures nothing at all when everything is known", async () => {
    const whole = await session({ answer, tune: { budgetMs: 1e6 } });
    const again = await session({ answer, tune: { budgetMs: 1e6, earlier: whole.result.trials } });
    expect(again.result.trials).toEqual([]);
    expect(again.tookMs).toBe(20);
    expect(again.result.problems).toEqual(whole.result.problems);
  });

  it("certifies what was only screened, within its budget", async () => {
    const whole = await session({ answer, tune: { budgetMs: 1e6 } });
    const earlier = whole.result.trials.filter(({ grade }) => grade === "screened");
    const short = await session({ answer, tune: { budgetMs: 1_000, earlier } });
    expect(short.result.trials.every(({ grade }) => grade === "certified")).toBe(true);
    expect(certified(short.result.trials)).toHaveLength(2); // 400 ms each
    expect(short.tookMs).toBeLessThanOrEqual(1_100);
  });

  it("measures the default again when it was known only as some other variant", async () => {
    const whole = await session({ answer, tune: { budgetMs: 1e6 } });
    const earlier = whole.result.trials.map((trial) => ({ ...trial, isDefault: false }));
    const { result } = await session({ answer, tune: { budgetMs: 1e6, earlier } });
    expect(result.trials.map(({ isDefault, grade }) => [isDefault, grade])).toEqual([
      [true, "screened"],
      [true, "certified"],
    ]);
  });

  it("measures only the new variants when a parameter has got further values", async () => {
    const wider = algorithmNamed("only");
    const suite = toySuite({
      algorithms: [{ ...wider, space: (problem) => withValue(wider.space(problem)) }],
    });
    const whole = await session({ answer, tune: { budgetMs: 1e6 } });
    const { result } = await session({
      suite,
      answer: (request) => ({ ...answer(request), ns: 2_000 }),
      tune: { budgetMs: 1e6, earlier: whole.result.trials },
    });
    expect(result.trials.map(({ config, grade }) => [config.x, config.memory, grade])).toEqual([
      [20, expect.any(Number), "screened"],
      [20, expect.any(Number), "screened"],
    ]);
  });

  it("measures exactly the variants again whose text has changed", async () => {
    const { plan } = algorithmNamed("only");
    const edited = algorithmNamed("only", {
      plan: (problem, config, capabilities) => {
        const made = plan(problem, config, capabilities);
        return config.x === 5 ? { ...made, modules: [{ name: "kernel", wgsl: "edited" }] } : made;
      },
    });
    const whole = await session({ answer, tune: { budgetMs: 1e6 } });
    const { result } = await session({
      suite: toySuite({ algorithms: [edited] }),
      answer,
      tune: { budgetMs: 1e6, earlier: whole.result.trials },
    });
    expect(new Set(result.trials.map(({ config }) => config.x))).toEqual(new Set([5]));
  });

  it("trusts nothing of another epoch of the suite", async () => {
    const whole = await session({ answer, tune: { budgetMs: 1e6 } });
    const { result } = await session({
      suite: toySuite({ epoch: 2 }),
      answer,
      tune: { budgetMs: 1e6, earlier: whole.result.trials },
    });
    expect(result.reused).toBe(0);
    expect(result.trials).toHaveLength(whole.result.trials.length);
  });
});

describe("reusable trials", () => {
  const trial = { id: "S0.0" } as Trial;

  it("come from sessions under the same conditions, whoever ran them and in whatever order the toggles stand", () => {
    const { host } = HEADER;
    const same = evidence({ id: "S9", toggles: ["b", "a"], host: { ...host, cpu: "two" } }, [trial]);
    expect(reusable([same], HEADER)).toEqual([trial]);
  });

  it.each<[string, Partial<SessionHeader>]>([
    ["driver", identity({ driver: "2.0" })],
    ["device", identity({ device: "other" })],
    ["compiler", identity({ compiler: "naga" })],
    ["profile", { profile: "native" }],
    ["set of toggles", { toggles: ["a"] }],
    ["protocol", { protocol: PROTOCOL_VERSION + 1 }],
    ["contract", { contract: CONTRACT_VERSION + 1 }],
  ])("never come from another %s", (_, change) => {
    expect(reusable([evidence(change, [trial])], HEADER)).toEqual([]);
  });

  it("never come from another CPU where the CPU is the GPU", () => {
    const software = { ...HEADER, ...identity({ adapterType: "cpu" }) };
    const other = evidence({ ...software, host: { ...HEADER.host, cpu: "two" } }, [trial]);
    expect(reusable([other], software)).toEqual([]);
    expect(reusable([evidence(software, [trial])], software)).toEqual([trial]);
  });
});

describe("conditions that changed", () => {
  it("are named with what they were and what they are", () => {
    const now = { ...HEADER, ...identity({ driver: "2.0" }), toggles: ["a"] };
    expect(changedConditions(HEADER, now)).toEqual(["driver 1.0, now 2.0", "toggles a, b, now a"]);
    expect(changedConditions(HEADER, HEADER)).toEqual([]);
  });

  it("are named alone where their values are long", () => {
    const { identity: same, capabilities } = DEVICE;
    const device = { identity: same, capabilities: { ...capabilities, features: ["subgroups"] } };
    expect(changedConditions(HEADER, { ...HEADER, device })).toEqual(["features and limits"]);
  });
});
