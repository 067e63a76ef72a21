export * from "./charts.ts";
export * from "./device.ts";
export * from "./format.ts";
export * from "./grid.ts";
export { escapeMarkdown } from "./markdown.ts";
export * from "./render.ts";
export { bestRow, candidatesTable, type IsStale, summaryTable } from "./summary.ts";
export * from "./table.ts";
