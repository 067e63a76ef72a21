/**
 * Makes a scratch repository with one commit for each length of chain, and packs them all beside the commit they begin from:
 *
 *     pnpm --filter @tunelab/example-compare-power commits --out /tmp/power --kernel matched-filter --steps 16,32,64
 *
 * `/tmp/power/lab` then holds a laboratory that needs no git; `measure.mjs` goes with it.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    out: { type: "string" },
    kernel: { type: "string", default: "matched-filter" },
    steps: { type: "string", default: "16,24,40,56,72,96,128" },
  },
});
if (!values.out) throw new Error("--out DIR is missing: name a folder to make");

const here = dirname(fileURLToPath(import.meta.url));
const checkout = resolve(here, "../../..");
const out = resolve(values.out);
const repo = join(out, "repo");
const suite = `kernels/${values.kernel}/src/suite.ts`;

const run = (program: string, words: readonly string[], cwd: string): string =>
  execFileSync(program, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
const git = (...words: string[]): string =>
  run(
    "git",
    ["-c", "user.name=Fixture", "-c", "user.email=fixture@localhost", "-c", "commit.gpgsign=false", ...words],
    repo,
  );

rmSync(repo, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
run("git", ["clone", "--quiet", "--shared", checkout, repo], out);
const base = git("rev-parse", "HEAD");
const plain = readFileSync(join(repo, suite), "utf8");
const renamed = plain.replace("export const suite", "const plain");
if (renamed === plain) throw new Error(`${suite} exports no const suite`);

const names: string[] = [];
for (const steps of values.steps.split(",").map(Number)) {
  const name = `burden-${steps}`;
  git("checkout", "--quiet", "-B", name, base);
  cpSync(join(here, "burden.ts"), join(repo, dirname(suite), "burden.ts"));
  const text = `import { burdened } from "./burden.ts";\n${renamed}\nexport const suite = burdened(plain as never, ${steps});\n`;
  writeFileSync(join(repo, suite), text);
  git("add", "--all");
  git(
    "commit",
    "--quiet",
    "--message",
    `${values.kernel}: ${steps} dependent multiply-adds more an invocation`,
  );
  names.push(name);
}
git("checkout", "--quiet", "-B", "plain", base);

const cli = join(checkout, "packages/lab/src/cli.ts");
const words = [
  "--conditions=@tunelab/source",
  "--import",
  "tsx",
  cli,
  "pack",
  "--no-dawn",
  "--out",
  join(out, "lab"),
];
run(
  process.execPath,
  [...words, "--repo", repo, "--compare", "plain", ...names],
  join(checkout, "packages/lab"),
);
cpSync(join(here, "measure.mjs"), join(out, "measure.mjs"));
console.log(`Made ${join(out, "lab")} with plain, ${names.join(", ")}`);
console.log(`Next: node ${join(out, "measure.mjs")} --lab ${join(out, "lab")} --help`);
