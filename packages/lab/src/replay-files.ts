import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Fault } from "@tunelab/contract";
import { parseReplay, type ReplayFile } from "@tunelab/tuner";

/** Largest text taken in, in bytes: the largest published space is a hundredth of it. */
const MOST_BYTES = 2 ** 30;

/** Reads a measured space, gzipped or plain, told apart by its first bytes. @throws Fault `usage` or `data`, one line. */
export async function readReplay(path: string): Promise<ReplayFile> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new Fault("usage", `${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
  return parseReplay(await unpacked(bytes, path), path);
}

/** The text of a plain or gzipped file. @throws Fault `data` when the gzip is cut off or damaged. */
export async function unpacked(bytes: Buffer, path: string): Promise<string> {
  if (bytes.length === 0) throw new Fault("data", `${path}: the file is empty`);
  if (bytes[0] !== 0x1f || (bytes.length > 1 && bytes[1] !== 0x8b)) return bytes.toString("utf8");
  try {
    return (await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES })).toString("utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "Z_BUF_ERROR" ? "the gzip file is cut off" : `the gzip file is damaged (${code ?? error})`;
    throw new Fault("data", `${path}: ${why}: fetch it again`);
  }
}
