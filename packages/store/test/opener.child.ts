// Tries to open a session for writing and says what came of it.
import { asFault } from "@tunelab/contract";
import { openSession } from "../src/index.ts";

const outcome = await openSession(process.argv[2] ?? "", process.argv[3] ?? "").then(
  () => "opened",
  (error: unknown) => asFault(error, "crashed").message,
);
process.send?.(outcome);
