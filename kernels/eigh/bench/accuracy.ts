import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { driver } from "../../../test/embedded.ts";
import { FAILED, failureText, ORDERS, type Wanted, wantedOf } from "./accuracy/options.ts";
import { pageOf } from "./accuracy/page.ts";
import { PAGE, records, writeWhole } from "./accuracy/records.ts";

/** Errors of every form at every order, over every kind of matrix, on the software GPU: `pnpm --filter @tunelab/kernel-eigh accuracy --help`. */
async function measure({ forms, orders }: Wanted): Promise<void> {
  if (!driver) throw new Error("there is no software GPU here");
  const child = spawn(
    process.execPath,
    [
      "--conditions=@tunelab/source",
      "--import",
      import.meta.resolve("tsx"),
      fileURLToPath(new URL("accuracy/child.ts", import.meta.url)),
      forms.join(","),
      orders.join(","),
    ],
    { env: { ...process.env, ...driver }, stdio: "inherit" },
  );
  const [code, signal] = await once(child, "exit");
  if (code === FAILED) process.exit(FAILED); // it has said why
  if (code !== 0) throw new Error(`the run ended with ${signal ?? code}; rows so far are kept`);
}

const wanted = wantedOf(process.argv.slice(2));
if ("exit" in wanted) {
  (wanted.exit === 0 ? console.log : console.error)(wanted.say);
  process.exit(wanted.exit);
}
try {
  // What a run would only find when it comes to that form, after minutes.
  const found = await records();
  if (!wanted.page) await measure(wanted);
  await writeWhole(PAGE, pageOf(wanted.page ? found : await records(), ORDERS));
} catch (error) {
  console.error(failureText(error));
  process.exit(FAILED);
}
