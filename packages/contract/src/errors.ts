/** Kinds of failure that callers handle; a fault's text is one line that names the cause and the next step. */
export type FaultKind =
  | "usage" // bad input: unknown name, value out of range
  | "unsupported" // nothing fits the device
  | "validation" // WebGPU refused text, binding or pipeline
  | "compile-timeout"
  | "out-of-memory"
  | "device-lost"
  | "hung"
  | "crashed"
  | "environment" // a driver, loader, file or permission of the machine
  | "data"; // a file or table that cannot be read

/** The one error class: a kind to branch on, one line for people, details for machines. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(kind: FaultKind, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "Fault";
    this.kind = kind;
    this.details = details;
  }
}

/** The first line of a message that says something; some compilers begin theirs with an empty one. */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]!.trim();
}

/** The error as a Fault: itself, or `fallback` around its first line. */
export function asFault(error: unknown, fallback: FaultKind): Fault {
  if (error instanceof Fault) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new Fault(fallback, firstLine(text), { cause: text });
}
