import { processIo } from "./io.ts";
import { main } from "./main.ts";

// Dawn and open handles keep a process alive after its work is done: the exit is explicit.
process.exit(await main(process.argv.slice(2), processIo()));
