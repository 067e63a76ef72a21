import {
  Fault,
  type PairOutcome,
  type PairRequest,
  SIDES,
  type Side,
  type SideReport,
  UNKNOWN_PAIR,
} from "@tunelab/contract";
import type { Attended } from "./attend.ts";
import { reasonOf, statusOf } from "./outcome.ts";

/** The side that lost the device, after which nothing more can be asked of its host. */
export const lostSide = ({ sides }: PairOutcome): Side | undefined =>
  SIDES.find((side) => sides[side]?.status === "device-lost");

/**
 * Asks hosts for a pair until each side has a report. A side that takes its host with it is recorded as what it did, and the
 * other is asked for alone on the next one. @throws Fault when a host fails before any side's code ran.
 */
export async function pairThrough(
  request: PairRequest,
  ask: (request: PairRequest) => Promise<Attended<PairOutcome>>,
): Promise<PairOutcome> {
  const attended = await ask(request);
  const outcome = "answer" in attended ? attended.answer : afterDeath(attended, request);
  const missing = SIDES.filter((side) => !outcome.sides[side] && (request.only ?? side) === side);
  const [other] = missing;
  if (!other || missing.length > 1) return outcome;
  const rest = await pairThrough({ ...request, only: other }, ask);
  return { ...rest, sides: { ...outcome.sides, ...rest.sides } };
}

/** What is known of a pair whose host is gone: the guilty side's end. */
function afterDeath(
  { failure, guilty }: Extract<Attended<PairOutcome>, { failure: unknown }>,
  { operation }: PairRequest,
): PairOutcome {
  const status = statusOf(failure);
  const reason = reasonOf(failure);
  if (!guilty) throw new Fault(status, `the host failed before either side of ${operation} ran: ${reason}`);
  const report: SideReport = { ...guilty.subject, status, reason, seeds: [] };
  return { ...UNKNOWN_PAIR, sides: { [guilty.side]: report } };
}
