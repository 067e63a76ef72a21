import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Git, git } from "../src/git.ts";
import {
  copySide,
  meet,
  offerOf,
  ownContract,
  prepareSide,
  readSide,
  resolveRevision,
  type SideFolder,
} from "../src/index.ts";
import { BODIES, FixtureRepository, suiteSource } from "./fixture.ts";

let repository: FixtureRepository;
let cache: string;
beforeAll(() => {
  repository = new FixtureRepository();
  cache = mkdtempSync(join(tmpdir(), "tunelab-sides-"));
});
afterAll(() => {
  repository.remove();
  rmSync(cache, { recursive: true, force: true });
});

/** Counts calls by their first word. */
function counting(): { git: Git; calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  return {
    calls,
    git: (words, folder) => {
      calls[words[0]!] = (calls[words[0]!] ?? 0) + 1;
      return git(words, folder);
    },
  };
}

const side = async (text: string, by: Git = git): Promise<SideFolder> =>
  prepareSide(await resolveRevision(git, repository.root, text), { git: by, root: repository.root, cache });

describe("a side made from a commit", { timeout: 60_000 }, () => {
  it("is one module an operation that imports nothing, and describes itself without running here", async () => {
    const commit = repository.commit("plain");
    const made = await side(commit);
    expect(made.faults).toEqual([]);
    expect(made.operations).toMatchObject([
      { operation: "window-sum", contract: 1, epoch: 1, workloads: { quick: [{ items: 300 }] }, tables: 0 },
    ]);
    const text = readFileSync(join(made.folder, made.operations[0]!.file), "utf8");
    expect(text).not.toMatch(/^import /m);
    expect(text).not.toContain(repository.root);
  });

  it("is copied under the name by which it was asked for, not that of whoever had it made", async () => {
    await side("HEAD");
    repository.git("branch", "--force", "another-name", "HEAD");
    const to = join(cache, "copy");
    await copySide(await side("another-name"), to);
    const { revision, folder, operations } = await readSide(to);
    expect(revision.text).toBe("another-name");
    expect([folder, operations.length]).toEqual([to, 1]);
  });

  it("is cached by its commit: the second time nothing is checked out; a damaged one is made again", async () => {
    const { folder, operations } = await side("HEAD");
    const again = counting();
    await side("HEAD", again.git);
    expect(again.calls).toEqual({});
    writeFileSync(join(folder, operations[0]!.file), "export const nothing = 1;");
    const repaired = counting();
    const made = await side("HEAD", repaired.git);
    expect(repaired.calls.worktree).toBeGreaterThan(0);
    expect(made.operations[0]!.sha256).toBe(operations[0]!.sha256);
  });

  it("gives the same bundle from the worktree as from the commit it equals", async () => {
    const [committed, uncommitted] = [await side("HEAD"), await side("worktree")];
    expect(uncommitted.operations[0]!.sha256).toBe(committed.operations[0]!.sha256);
    repository.kernel({ body: BODIES.reordered });
    const changed = await side("worktree");
    expect(changed.revision).toMatchObject({ dirty: true, commit: committed.revision.commit });
    expect(changed.operations[0]!.sha256).not.toBe(committed.operations[0]!.sha256);
    repository.kernel({});
  });

  it.each([
    ["does not parse", "export const suite = {", /suite\.ts:\d+: /],
    [
      "wants a library",
      'import lodash from "lodash"; export const suite = lodash;',
      /lodash is no package of this workspace/,
    ],
    [
      "wants a Node module",
      'import fs from "node:fs"; export const suite = fs;',
      /node:fs is no package of this workspace/,
    ],
    [
      "throws when loaded",
      'throw new Error("no luck"); export const suite = {};',
      /cannot be loaded: Error: no luck/,
    ],
    ["exports no operation", "export const suite = {};", /names no operation/],
  ])("whose kernel %s has that as its fault, and the other kernels stand", async (_what, source, reason) => {
    repository.kernel({ source }, "odd");
    repository.commit("odd");
    const made = await side("HEAD");
    expect(made.operations.map(({ operation }) => operation)).toEqual(["window-sum"]);
    expect(made.faults).toEqual([{ package: "@tunelab/kernel-odd", reason: expect.stringMatching(reason) }]);
    rmSync(join(repository.root, "kernels/odd"), { recursive: true });
    repository.commit("odd removed");
  });

  describe("whose suite uses a library for its oracle", () => {
    const folder = "kernels/librarian";
    const install = (version: string): void => {
      const manifest = { name: "sums", version, module: "index.mjs" };
      repository.write(`${folder}/node_modules/sums/package.json`, JSON.stringify(manifest));
      repository.write(`${folder}/node_modules/sums/index.mjs`, `export const marker = "sums ${version}";`);
    };
    afterAll(() => {
      rmSync(join(repository.root, folder), { recursive: true });
      repository.commit("librarian removed");
    });

    it("takes it from the laboratory's install when that is the release it declares, else says what is missing", async () => {
      repository.write(".gitignore", "node_modules\n");
      const plain = suiteSource({ operation: "librarian" });
      const told = plain.replace('doc: "sums of eight neighbours"', "doc: marker");
      repository.kernel({ source: `import { marker } from "sums";\n${told}` }, "librarian");
      const path = join(repository.root, folder, "package.json");
      const manifest = JSON.parse(readFileSync(path, "utf8")) as object;
      writeFileSync(path, JSON.stringify({ ...manifest, dependencies: { sums: "1.2.3" } }));
      repository.commit("a library");
      const fault = async (): Promise<string | undefined> => (await side("HEAD")).faults[0]?.reason;
      expect(await fault()).toMatch(/needs sums 1\.2\.3, and it is not installed/);
      install("1.2.4");
      expect(await fault()).toMatch(/needs sums 1\.2\.3, and 1\.2\.4 is installed/);
      install("1.2.3");
      const made = await side("HEAD");
      expect(made.faults).toEqual([]);
      const { file } = made.operations.find(({ operation }) => operation === "librarian")!;
      expect(readFileSync(join(made.folder, file), "utf8")).toContain("sums 1.2.3");
    });
  });

  it("of another contract is refused by name of what differs", async () => {
    const path = "packages/contract/src/plan.ts";
    const plan = readFileSync(join(repository.root, path), "utf8");
    const own = await ownContract(repository.root);
    repository.write(
      path,
      plan
        .replace("CONTRACT_VERSION = 1", "CONTRACT_VERSION = 2")
        .replace("readonly quantum: number;", "readonly quantum: bigint;"),
    );
    repository.commit("another contract");
    const offer = offerOf(await side("HEAD"), { problemsOf: ({ workloads }) => workloads.quick }, own);
    expect(offer.operations).toEqual([]);
    expect(offer.refusal).toMatch(
      /^HEAD speaks contract 2, this laboratory 1 \(Batch and CONTRACT_VERSION changed\): /,
    );
    repository.write(path, plan);
    repository.commit("the same contract");
  });

  it("that is no laboratory is refused", async () => {
    repository.git("rm", "-r", "--quiet", "packages/contract");
    const commit = repository.commit("no contract");
    await expect(side(commit)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("no checkout"),
    });
    repository.git("checkout", "--quiet", `${commit}~1`);
  });

  it("outlives the oldest ones, which go when too many are kept", async () => {
    const made = await side("HEAD");
    const bundles = join(made.folder, "..");
    const old = Array.from({ length: 40 }, (_, index) => join(bundles, `old-${index}`));
    for (const folder of old) {
      writeFileSync(folder, "");
      utimesSync(folder, 1_000, 1_000);
    }
    repository.kernel({ source: suiteSource({ body: BODIES.reordered }) });
    await side("worktree");
    expect(readdirSync(bundles).length).toBeLessThanOrEqual(25);
    expect(existsSync(made.folder)).toBe(true);
    repository.kernel({});
  });
});

describe("two sides", () => {
  it("without a common operation cannot be compared, and both lists are told", async () => {
    const name = (text: string) => ({ text, commit: "", dirty: false });
    const offer = (text: string, operation: string) => ({
      name: name(text),
      operations: [{ operation, source: {}, problems: [{ n: 1 }], accuracy: { bound: 0, measure: "" } }],
      faults: [],
    });
    expect(() => meet({ base: offer("a", "fft"), candidate: offer("b", "gemm") })).toThrow(
      /a and b have no operation and problem in common \(fft; gemm\)/,
    );
  });
});
