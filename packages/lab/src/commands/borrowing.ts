import { basename, join, resolve } from "node:path";
import { Fault } from "@tunelab/contract";
import { borrowing } from "@tunelab/selection";
import type { Command } from "commander";
import { borrowingPage, membersOf } from "../borrowing-report.ts";
import type { Io } from "../io.ts";
import { requireCheckout } from "../places.ts";
import { readReplay } from "../replay-files.ts";
import { writeWhole } from "../session.ts";

interface Flags {
  readonly within: string;
  readonly most: string;
  readonly save?: string | true;
  readonly json?: boolean;
}

/** Where the page stands in a checkout. */
const PAGE = "reports/selection/borrowing.md";

export function register(program: Command, io: Io): void {
  program
    .command("borrowing <files...>")
    .description(
      "what devices that share a measured space can borrow: one variant for all, small sets, a device left out",
    )
    .option("--within <percent>", "how far from the best a portfolio may stay on every device", "3")
    .option("--most <n>", "variants of the largest set that is looked for", "4")
    .option("--save [file]", `write the page, by default to ${PAGE}`)
    .option("--json", "print the sets and figures as JSON")
    .addHelpText("after", "\nExample: pnpm lab borrowing spaces/convolution*.json.gz --within 3 --save")
    .action((files: readonly string[], flags: Flags) => run(files, flags, io));
}

async function run(paths: readonly string[], flags: Flags, io: Io): Promise<void> {
  const within = Number(flags.within) / 100;
  const most = Number(flags.most);
  if (!(within >= 0 && within < 1)) {
    throw new Fault("usage", `--within ${flags.within}: give a percentage from 0 to under 100`);
  }
  if (!Number.isSafeInteger(most) || most < 1)
    throw new Fault("usage", `--most ${flags.most}: give 1 or more`);
  if (paths.length < 2) throw new Fault("usage", "borrowing needs two devices or more: give a file each");
  const files = await Promise.all(
    [...paths].sort().map(async (path) => {
      const file = await readReplay(path);
      // Some tuners leave the device's name empty; the file's own tells them apart.
      return { ...file, device: file.device.trim() || basename(path).replace(/\.json(\.gz)?$/, "") };
    }),
  );
  const kernels = new Set(files.map(({ kernel }) => kernel));
  if (kernels.size > 1) {
    throw new Fault(
      "usage",
      `the files measure different kernels (${[...kernels].join(", ")}): give one kernel's`,
    );
  }
  const [kernel] = kernels;
  const found = borrowing(membersOf(files), within, most);
  const command = `pnpm lab borrowing FILES --within ${flags.within} --most ${most} --save`;
  const page = borrowingPage(kernel!, found, command);
  if (flags.save) {
    const path = flags.save === true ? join(requireCheckout(), PAGE) : resolve(flags.save);
    await writeWhole(path, page);
    io.note(`written: ${path}`);
  }
  if (flags.json) {
    const { members: _, ...rest } = found;
    io.out(JSON.stringify({ kernel, devices: files.map(({ device }) => device), ...rest }));
  } else io.out(page);
}
