// Writes trials for ever and says the number of each one once it is durable. The test kills it.
import { createSession } from "../src/index.ts";
import { header, trial } from "./samples.ts";

const sink = await createSession(process.argv[2] ?? "", header({ id: process.argv[3] ?? "" }));
for (let sequence = 0; ; sequence++) {
  await sink.trial(trial(sink.session, sequence));
  process.send?.(sequence);
}
