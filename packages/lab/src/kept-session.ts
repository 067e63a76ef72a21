import { Fault, type SessionEvidence } from "@tunelab/contract";
import type { Io } from "./io.ts";
import { labDirToRead, requireCheckout, tablesDir } from "./places.ts";

/** A session of this laboratory, else the published one of that id. @throws Fault `usage` when there is neither. */
export async function keptSession(id: string, out: string | undefined, io: Io): Promise<SessionEvidence> {
  requireCheckout();
  const { loadEvidence, publishedSession } = await import("@tunelab/store");
  const { sessions, faults } = await loadEvidence(labDirToRead(out, io), { sessions: [id] });
  const [found] = sessions;
  if (found) return found;
  if (faults[0]) throw faults[0];
  const published = await publishedSession(tablesDir(), id);
  if (published) return published;
  throw new Fault("usage", `there is no session ${id}: \`pnpm lab results list\` shows them`);
}
