/** The entry point `@tunelab/runtime`: the runtime and every operation. Each operation has an entry point of its own, too. */
export * from "./core.ts";
export * from "./eigh.ts";
export * from "./fft.ts";
export * from "./matched-filter.ts";
export { parseTable } from "./tables.ts";
