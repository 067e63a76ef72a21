import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  CONTRACT_VERSION,
  deviceSlug,
  type Operation,
  PROTOCOL_VERSION,
  type SessionEvidence,
  type SessionHeader,
  type TuningTable,
  tableFolder,
} from "@tunelab/contract";
import { type HostHello, hostFacts } from "@tunelab/devices";
import { currentEvidence, fold, serialiseTable, withoutStudies } from "@tunelab/selection";
import { newSessionId } from "@tunelab/store/journal";
import writeFileAtomic from "write-file-atomic";
import { VERSION } from "./build.ts";
import { commitOf } from "./history.ts";
import { loadEpochs, loadOperations } from "./registry.ts";

/** The header of a session that is about to start on an opened device. */
export async function headerFor(hello: HostHello, command: SessionHeader["command"]): Promise<SessionHeader> {
  return {
    id: newSessionId(),
    startedAt: new Date().toISOString(),
    protocol: PROTOCOL_VERSION,
    contract: CONTRACT_VERSION,
    toolVersion: VERSION,
    ...(await commitOf()),
    device: hello.info,
    deviceSlug: deviceSlug(hello.info.identity),
    profile: hello.profile,
    toggles: hello.toggles,
    host: { ...hostFacts(), runtime: hello.runtime },
    command,
  };
}

/** Error bounds that the fold needs, by operation. */
export const boundsOf = (operations: readonly Operation[]): Readonly<Record<string, number>> =>
  Object.fromEntries(operations.map(({ name, accuracy }) => [name, accuracy.bound]));

/** A user's own tables, and how many measured variants are in none because the code has changed since. */
export interface OwnTables {
  readonly tables: readonly TuningTable[];
  readonly changed: number;
}

/** Tables of one device and profile folded from a user's own sessions, oldest first, as far as the code still makes those plans. */
export async function ownTables(
  evidence: readonly SessionEvidence[],
  header: Pick<SessionHeader, "device" | "profile">,
): Promise<OwnTables> {
  const folder = tableFolder(header.device.identity, header.profile);
  const mine = withoutStudies(evidence).filter(
    (one) => tableFolder(one.header.device.identity, one.header.profile) === folder,
  );
  const operations = await loadOperations();
  const epochs = await loadEpochs();
  // Operations from outside are known only while their module is named; without it their results are left alone.
  const known = new Set(operations.map(({ name }) => name));
  const named = mine.map((one) => ({
    ...one,
    trials: one.trials.filter(({ operation }) => known.has(operation)),
  }));
  const { sessions, changed } = await currentEvidence(named, operations, epochs);
  return { tables: fold(sessions, { bounds: boundsOf(operations), epochs }), changed };
}

/** Writes a text whole or not at all, making its folder. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFileAtomic(path, text);
}

/** Writes tables below a folder by their device, profile and operation; resolves to the paths. */
export async function writeTables(
  folder: string,
  tables: readonly TuningTable[],
  pathOf: (table: TuningTable) => string,
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const table of tables) {
    const path = join(folder, pathOf(table));
    await writeWhole(path, serialiseTable(table));
    paths.push(path);
  }
  return paths;
}
