export * from "./wgsl/declare.ts";
export * from "./wgsl/numbers.ts";
export * from "./wgsl/text.ts";
