import { execFileSync, spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  competitorsOf,
  judgeLoad,
  machineLoad,
  type ProcessTime,
  parseNvidia,
  parseStat,
} from "../src/load.ts";

const STAT =
  "4242 (a) b (c) S 17 4242 4242 34816 4242 4194304 100 200 0 0 310 25 1 2 20 0 11 0 5000 1000000 900 0 0 0";

const process_ = (pid: number, parent: number, name: string, ticks: number): ProcessTime => ({
  pid,
  parent,
  name,
  ticks,
});

describe("a process's line", () => {
  it("is read past parentheses and spaces in its name, with user and system time added", () => {
    expect(parseStat(STAT)).toEqual({ pid: 4242, parent: 17, name: "a) b (c", ticks: 335 });
  });

  it("that is cut short counts for nothing", () => {
    for (const length of [0, 5, 14, 40]) expect(parseStat(STAT.slice(0, length))).toBeUndefined();
  });
});

describe("competitors", () => {
  const before = [process_(1, 0, "init", 50), process_(10, 1, "shell", 5), process_(20, 1, "render", 100)];
  const after = [
    process_(1, 0, "init", 90),
    process_(10, 1, "shell", 45),
    process_(11, 10, "node", 500), // ourselves
    process_(12, 11, "esbuild", 60),
    process_(20, 1, "render", 130),
    process_(30, 1, "render", 20),
    process_(40, 1, "sleeper", 0),
  ];

  it("are all other programs by name, new ones from nothing, our ancestors and children left out", () => {
    expect(competitorsOf(before, after, 11, 0.5)).toEqual([{ name: "render", cores: 1 }]);
  });

  it("a loop of parents does not hang the search for kin", () => {
    const loop = [process_(5, 6, "a", 10), process_(6, 5, "b", 10)];
    expect(competitorsOf([], loop, 99, 1)).toHaveLength(2);
  });
});

describe("the verdict", () => {
  const system = { cores: 2, loadAverage: 0.1 };

  it("is busy from a quarter of a core on, however many small programs take it", () => {
    const small = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `p${index}`, cores: 0.04 }));
    expect(judgeLoad(small(6), system, undefined)).toMatchObject({ busy: false, competitors: [] });
    expect(judgeLoad(small(7), system, undefined)).toMatchObject({ busy: true });
  });

  it("goes by the load average where processes cannot be listed", () => {
    expect(judgeLoad(undefined, { cores: 8, loadAverage: 3 }, undefined).busy).toBe(true);
    expect(judgeLoad(undefined, system, undefined)).not.toHaveProperty("othersCores");
  });

  it("counts a GPU that others use", () => {
    expect(
      judgeLoad([], system, parseNvidia("0, 8000\n37, 143000\n", "/usr/bin/python3\n/opt/x/python3\n")),
    ).toMatchObject({
      busy: true,
      gpu: { utilisation: 0.37, programs: ["python3"], freeBytes: 8000 * 2 ** 20 },
    });
    expect(parseNvidia("[N/A], [N/A]\n", "")).toEqual({ utilisation: 0, programs: [] });
    expect(judgeLoad([], system, parseNvidia("[N/A], [N/A]\n", "")).busy).toBe(false);
  });
});

/** A spinning process whose name no other has (a thread's name holds 15 characters). */
const spin = (name: string): string => `process.title = "${name}"; for (;;);`;

it.skipIf(process.platform !== "linux")(
  "a program that spins outside our family is named; our own child is not",
  { timeout: 20_000 },
  async () => {
    const child = spawn(process.execPath, ["-e", spin("tl-ours")]);
    // The shell leaves at once: its program then belongs to nobody of ours.
    const orphan = Number(
      execFileSync(
        "sh",
        ["-c", '"$0" -e "$1" >/dev/null 2>&1 & echo $!', process.execPath, spin("tl-other")],
        {
          encoding: "utf8",
        },
      ),
    );
    try {
      await expect
        .poll(async () => (await machineLoad()).competitors.map(({ name }) => name), { timeout: 15_000 })
        .toContain("tl-other");
      const load = await machineLoad();
      expect(load.competitors.map(({ name }) => name)).not.toContain("tl-ours");
      expect(load.busy).toBe(true);
    } finally {
      child.kill("SIGKILL");
      process.kill(orphan, "SIGKILL");
    }
  },
);
