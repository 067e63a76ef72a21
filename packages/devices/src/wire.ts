import { asFault, Fault, type FaultKind } from "@tunelab/contract";
import { type BirpcReturn, createBirpc } from "birpc";

/** One end of a process channel: a child, or the process itself inside the child. */
interface End {
  send?(message: unknown, sent: (error: Error | null) => void): boolean;
  on(event: "message", receive: (message: unknown) => void): unknown;
}

interface WireFault {
  readonly kind: FaultKind;
  readonly message: string;
  readonly details: string;
}

interface Reply {
  e?: unknown;
  fault?: WireFault;
}

/**
 * Typed calls over Node's process channel (structured clone, so typed arrays travel). Errors arrive as Faults with their
 * kind. There is no timeout here: deadlines belong to the supervisor, which knows the running phase.
 */
export function connect<Remote extends object, Local extends object>(
  end: End,
  local: Local,
  events: readonly (keyof Remote)[],
): BirpcReturn<Remote, Local> {
  return createBirpc<Remote, Local>(local, {
    post: (message) => {
      // A send to a process that just died fails by this callback; its exit is what the supervisor acts on.
      end.send?.(message, () => {});
    },
    on: (receive) => {
      end.on("message", receive);
    },
    eventNames: [...events],
    timeout: -1,
    serialize: (message: Reply) =>
      message.e === undefined ? message : { ...message, e: "fault", fault: pack(message.e) },
    deserialize: (message: Reply) => (message.fault ? { ...message, e: unpack(message.fault) } : message),
  });
}

function pack(error: unknown): WireFault {
  const { kind, message, details } = asFault(error, "environment");
  return { kind, message, details: JSON.stringify(details) };
}

function unpack(fault: WireFault): Fault {
  return new Fault(fault.kind, fault.message, JSON.parse(fault.details) as Record<string, unknown>);
}
