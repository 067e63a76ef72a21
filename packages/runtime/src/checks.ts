import { Fault } from "@tunelab/contract";
import type { Asked } from "./operations/typed.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { told } from "./told.ts";

/** Throws `Fault` usage for an option that is none of those there are; one that is left out passes. */
function checkOneOf(name: string, value: unknown, known: readonly string[]): void {
  if (value === undefined || known.includes(value as string)) return;
  throw new Fault("usage", `${name} is ${told(value)}: give ${known.map(told).join(" or ")}`);
}

/** Throws `Fault` usage for what is no number over 0. */
export function checkPositive(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0) return;
  throw new Fault("usage", `${name} is ${told(value)}: give a number over 0`);
}

const checkBackend = (backend: unknown): void => checkOneOf("backend", backend, ["gpu", "cpu", "auto"]);

/** Throws `Fault` usage for options of a runtime that make no sense. */
export function checkOptions({ backend, profile, budgets = {} }: RuntimeOptions): void {
  checkBackend(backend);
  checkOneOf("profile", profile, ["portable", "native"]);
  for (const [name, value] of Object.entries(budgets)) checkPositive(`budgets.${name}`, value);
}

/** Throws `Fault` usage for arguments of a call that are none, and for demands that make no sense whichever side computes. */
export function checkAsked(runtime: Partial<Runtime> | undefined, asked: Asked | undefined): void {
  if (!runtime?.operation) {
    throw new Fault("usage", "the first argument is no runtime: give what createRuntime() resolves with");
  }
  if (!asked) {
    throw new Fault("usage", `the second argument is ${asked}: give an object that says what to compute`);
  }
  const { backend, maxError, variant } = asked;
  checkBackend(backend);
  if (maxError !== undefined) checkPositive("maxError", maxError);
  if (variant !== undefined && typeof variant !== "string") {
    throw new Fault("usage", `variant is ${told(variant)}: give an id as explain tells it, or leave it out`);
  }
  if (variant !== undefined && (backend ?? runtime.backend) === "cpu") {
    throw new Fault("usage", `variant ${variant} is the GPU's: leave it out, or compute on the GPU`);
  }
}
