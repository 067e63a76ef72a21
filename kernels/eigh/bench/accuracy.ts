import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { driver } from "../../../test/embedded.ts";
import { FORMS } from "./accuracy/forms.ts";
import { pageOf } from "./accuracy/page.ts";
import { PAGE, records, writeWhole } from "./accuracy/records.ts";

/**
 * Errors of every form at every order, over every kind of matrix, on the software GPU: `pnpm --filter @tunelab/kernel-eigh accuracy`. Goes on where it was
 * interrupted; a form whose text changed is measured again. `--forms block,scalar`, `--orders 1,2,3` narrow it, `--page` only writes the page.
 */
const ORDERS: readonly number[] = [...Array.from({ length: 128 }, (_, i) => i + 1), 192, 256, 384, 512];

const { values } = parseArgs({
  options: {
    forms: { type: "string", default: Object.keys(FORMS).join(",") },
    orders: { type: "string", default: ORDERS.join(",") },
    page: { type: "boolean", default: false },
  },
});

async function measure(): Promise<void> {
  if (!driver) throw new Error("there is no software GPU here");
  const child = spawn(
    process.execPath,
    [
      "--conditions=@tunelab/source",
      "--import",
      import.meta.resolve("tsx"),
      fileURLToPath(new URL("accuracy/child.ts", import.meta.url)),
      values.forms,
      values.orders,
    ],
    { env: { ...process.env, ...driver }, stdio: "inherit" },
  );
  const code = await new Promise((resolve) => child.on("exit", resolve));
  if (code !== 0) throw new Error(`the run ended with ${code}; rows so far are kept`);
}

if (!values.page) await measure();
await writeWhole(PAGE, pageOf(await records(), ORDERS));
