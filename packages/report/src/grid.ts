import { cell } from "./markdown.ts";

/** A printed table: cells as plain text, one alignment a column. Rendered for a terminal or as Markdown. */
export interface Grid {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Rows (by index) that no longer count and stay visible: Markdown strikes them through. */
  readonly struck?: readonly number[];
}

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
  /** Cells are identifiers: Markdown sets them as code. */
  readonly code?: boolean;
}

/** Columns two spaces apart, a rule under the titles, no trailing spaces. */
export function gridText({ columns, rows }: Grid): string {
  const widths = columns.map((column, index) =>
    Math.max(length(column.title), ...rows.map((row) => length(row[index] ?? ""))),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, index) => {
        const text = cells[index] ?? "";
        const space = " ".repeat(widths[index]! - length(text));
        return align === "left" ? text + space : space + text;
      })
      .join("  ")
      .trimEnd();
  const titles = columns.map((column) => column.title);
  return [line(titles), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** A GitHub-flavoured Markdown table; every cell escaped. */
export function gridMarkdown({ columns, rows, struck = [] }: Grid): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map((column) => cell(column.title))),
    line(columns.map(({ align }) => (align === "left" ? ":--" : "--:"))),
    ...rows.map((row, index) => {
      const cells = columns.map(({ code }, place) => cell(row[place] ?? "", code));
      return line(struck.includes(index) ? cells.map((text) => text && `~~${text}~~`) : cells);
    }),
  ].join("\n");
}

/** Columns by their titles: `>time` is set right, `` `variant` `` as code. */
export function columns(...titles: readonly string[]): readonly Column[] {
  return titles.map((title) => {
    if (title.startsWith(">")) return { title: title.slice(1), align: "right" };
    if (title.startsWith("`")) return { title: title.slice(1, -1), align: "left", code: true };
    return { title, align: "left" };
  });
}

/** Characters as a terminal counts them, near enough: code points, not UTF-16 units. */
function length(text: string): number {
  return [...text].length;
}
