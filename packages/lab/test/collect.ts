import type { Io } from "../src/io.ts";
import { main } from "../src/main.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/** Runs one command line in this process and collects what it prints. */
export async function lab(words: readonly string[], signal?: AbortSignal): Promise<Ran> {
  const out: string[] = [];
  const notes: string[] = [];
  const io: Io = {
    out: (text) => void out.push(text),
    note: (text) => void notes.push(text),
    interactive: false,
    signal: signal ?? new AbortController().signal,
  };
  const code = await main(words, io);
  return { code, out: out.join("\n"), notes: notes.join("\n") };
}
