/** The entry point `@tunelab/runtime/tables`: reads tables of one's own tuning for `createRuntime({ tables })`. */
export { checkTable, parseTable } from "@tunelab/selection";
