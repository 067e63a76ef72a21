/** Something worth knowing that is no failure; each is told once. */
export type RuntimeEvent =
  | {
      /** No table of this device: one of another is used. */
      readonly kind: "borrowed";
      readonly operation: string;
      readonly table: string;
      readonly why: string;
    }
  | {
      /** A variant could not run here and the next one was taken. */
      readonly kind: "fallback";
      readonly operation: string;
      readonly variant: string;
      readonly reason: string;
    }
  | {
      /** A table could not be read (cut short, changed, of a newer schema) and was passed over. */
      readonly kind: "table-unreadable";
      readonly operation: string;
      readonly table: string;
      readonly reason: string;
    }
  | {
      /** Backend `auto` found no GPU: everything computes on the CPU. */
      readonly kind: "no-gpu";
      readonly reason: string;
    };

/** Hands each event on once, by its kind, operation and detail. */
export class Teller {
  readonly #listener: (event: RuntimeEvent) => void;
  readonly #told = new Set<string>();

  constructor(listener: ((event: RuntimeEvent) => void) | undefined) {
    this.#listener = listener ?? (() => {});
  }

  tell(event: Extract<RuntimeEvent, { operation: string }>, detail: string): void {
    const whole = `${event.kind} ${event.operation} ${detail}`;
    if (this.#told.has(whole)) return;
    this.#told.add(whole);
    this.#listener(event);
  }
}
