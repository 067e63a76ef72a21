/** Just enough of ELF64 to change a copied library on purpose: where a dynamic symbol's code lies in the file. */
export function symbolOffset(file: Buffer, symbol: string): number {
  const u64 = (at: number) => Number(file.readBigUInt64LE(at));
  const sections = Array.from({ length: file.readUInt16LE(0x3c) }, (_, index) => {
    const at = u64(0x28) + index * file.readUInt16LE(0x3a);
    return {
      type: file.readUInt32LE(at + 4),
      offset: u64(at + 0x18),
      size: u64(at + 0x20),
      link: file.readUInt32LE(at + 0x28),
    };
  });
  const DYNSYM = 11;
  const symbols = sections.find(({ type }) => type === DYNSYM)!;
  const names = sections[symbols.link]!;
  for (let at = symbols.offset; at < symbols.offset + symbols.size; at += 24) {
    const start = names.offset + file.readUInt32LE(at);
    if (file.toString("latin1", start, file.indexOf(0, start)) === symbol)
      return fileOffset(file, u64(at + 8));
  }
  throw new Error(`no dynamic symbol ${symbol}`);
}

/** File offset of a virtual address, by the loadable segments. */
function fileOffset(file: Buffer, address: number): number {
  const u64 = (at: number) => Number(file.readBigUInt64LE(at));
  for (let index = 0; index < file.readUInt16LE(0x38); index++) {
    const at = u64(0x20) + index * file.readUInt16LE(0x36);
    const start = u64(at + 0x10);
    if (file.readUInt32LE(at) === 1 && address >= start && address < start + u64(at + 0x20)) {
      return u64(at + 8) + address - start;
    }
  }
  throw new Error(`address ${address} is in no segment`);
}

/** x86-64 for `return NULL`. */
const RETURN_NULL = Buffer.from([0x31, 0xc0, 0xc3]);

/** The library with one function made to answer NULL. */
export function returningNull(file: Buffer, symbol: string): Buffer {
  const copy = Buffer.from(file);
  RETURN_NULL.copy(copy, symbolOffset(copy, symbol));
  return copy;
}

/** Words of VkPhysicalDeviceFeatures, and the two that Mesa 22.3's lavapipe leaves false. */
const FEATURES = 55;
const DYNAMIC_INDEXING = [33, 34];

/** A SwiftShader that no longer has dynamic indexing: its table of features is the one run of 55 words 0 or 1, mixed. */
export function withoutDynamicIndexing(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  for (let at = 0; at + 4 * FEATURES <= copy.length; at += 4) {
    const words = Array.from({ length: FEATURES }, (_, index) => copy.readUInt32LE(at + 4 * index));
    const sum = words.reduce((total, word) => total + word, 0);
    if (words[0] !== 1 || words.some((word) => word > 1) || sum < 20 || sum > 50) continue;
    for (const index of DYNAMIC_INDEXING) copy.writeUInt32LE(0, at + 4 * index);
    return copy;
  }
  throw new Error("SwiftShader's table of features was not found");
}
