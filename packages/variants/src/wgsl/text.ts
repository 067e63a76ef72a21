/** Pieces of generated text: a line (or several), a list of pieces, or nothing where a condition left the piece out. */
export type Text = string | false | undefined | readonly Text[];

/** The pieces one under the other; left-out pieces leave no empty line. */
export function lines(...parts: readonly Text[]): string {
  return flatten(parts).join("\n");
}

/** The pieces as lines, each two spaces further in; empty lines stay empty. */
export function indent(...parts: readonly Text[]): string {
  return lines(...parts)
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}

/** `head {`, the pieces indented, `}`. */
export function block(head: string, ...body: readonly Text[]): string {
  const inside = indent(...body);
  return inside === "" ? `${head} {\n}` : `${head} {\n${inside}\n}`;
}

/** `make(0)` to `make(count - 1)`: the unrolled form of a loop. */
export function times(count: number, make: (index: number) => Text): readonly Text[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function flatten(parts: readonly Text[]): readonly string[] {
  return parts.flatMap((part): readonly string[] => {
    if (part === false || part === undefined) return [];
    return typeof part === "string" ? [part] : flatten(part);
  });
}
