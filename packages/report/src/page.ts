import type { ChartSpec } from "./charts/look.ts";
import { PAGE_FILE, type ReportFile } from "./input.ts";
import { escapeMarkdown } from "./markdown.ts";
import { chartSvg } from "./render.ts";

/** A chart beside a page: the file it goes to (in the page's folder) and what to draw. */
export interface PageChart {
  readonly file: string;
  readonly title: string;
  readonly spec: ChartSpec;
}

/** A page as it is written: paragraphs and the charts between them. */
export class Page {
  readonly title: string;
  readonly #parts: string[] = [];
  readonly #charts: PageChart[] = [];

  constructor(title: string) {
    this.title = title;
    this.heading(1, title);
  }

  heading(level: number, title: string): void {
    this.text(`${"#".repeat(level)} ${escapeMarkdown(title)}`);
  }

  /** A paragraph, list or table in Markdown; what came from outside is escaped already. */
  text(markdown: string): void {
    this.#parts.push(markdown.trim());
  }

  /** Links a chart and keeps it for drawing; nothing where there is none. */
  chart(name: string, title: string, spec: ChartSpec | undefined): void {
    if (!spec) return;
    const file = `${name}.svg`;
    this.#charts.push({ file, title, spec });
    this.text(`![${escapeMarkdown(title)}](${file})`);
  }

  get charts(): readonly PageChart[] {
    return this.#charts;
  }

  markdown(): string {
    return `${this.#parts.join("\n\n")}\n`;
  }

  /** The page and its charts, drawn. */
  async files(): Promise<readonly ReportFile[]> {
    const files: ReportFile[] = [{ file: PAGE_FILE, text: this.markdown() }];
    for (const { file, spec } of this.#charts) files.push({ file, text: await chartSvg(spec) });
    return files;
  }
}
