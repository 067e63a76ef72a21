import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedFiles } from "@tunelab/devices";
import { expect, it } from "vitest";
import { killSessions } from "./deep/kills.ts";

/** `TUNELAB_KILLS=100` for the whole run; its result stands in test/deep/README.md. */
const KILLS = Number(process.env.TUNELAB_KILLS ?? 10);

const embedded = await embeddedFiles().then(
  () => true,
  () => false,
);

it.skipIf(!embedded)(
  "a session killed at random moments loses no committed trial and measures none twice",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "tunelab-kill-"));
    try {
      const found = await killSessions(folder, KILLS, 1, (line) => console.log(line));
      console.log(JSON.stringify(found));
      expect(found).toMatchObject({ kills: KILLS, lost: 0, twice: 0, unreadable: 0 });
      // A run in which nothing was committed would prove nothing.
      expect(found.committed).toBeGreaterThan(KILLS / 2);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  KILLS * 60_000,
);
