export * from "./dawn.ts";
export * from "./embedded.ts";
export * from "./facts.ts";
export * from "./protocol.ts";
