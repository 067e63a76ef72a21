import { parseArgs } from "node:util";
import { firstLine } from "@tunelab/contract";
import { FORMS } from "./forms.ts";

/** Orders that are run unless others are named. */
export const ORDERS: readonly number[] = [
  ...Array.from({ length: 128 }, (_, i) => i + 1),
  ...[192, 256, 384, 512],
];

/** Largest order of the eigensolver. */
const LARGEST = 512;

export const HELP: string = `pnpm --filter @tunelab/kernel-eigh accuracy [--forms NAMES] [--orders N,N,...] [--page]
  errors of every form at every order, over every kind of matrix, on the software GPU; goes on where it was interrupted,
  and measures a form again whose text changed
  --forms NAMES   only these, comma-separated: ${Object.keys(FORMS).join(", ")}
  --orders N,...  only these, 1 to ${LARGEST} (default: 1 to 128, 192, 256, 384, 512)
  --page          measure nothing: write the page of what there is

Example: pnpm --filter @tunelab/kernel-eigh accuracy --forms block,scalar --orders 1,2,3`;

/** Exit code of a run that failed, when it has said why in one line. */
export const FAILED = 1;

/** That line. */
export const failureText = (error: unknown): string =>
  `accuracy: ${firstLine(error instanceof Error ? error.message : String(error))}`;

/** What a run was asked for. */
export interface Wanted {
  readonly forms: readonly string[];
  readonly orders: readonly number[];
  readonly page: boolean;
}

/** The command line as a run, or what to say instead: the help with exit 0, one line with exit 2. */
export function wantedOf(words: readonly string[]): Wanted | { readonly exit: 0 | 2; readonly say: string } {
  try {
    const { values } = parseArgs({
      // pnpm hands its own -- on.
      args: words.filter((word) => word !== "--"),
      options: {
        forms: { type: "string", default: Object.keys(FORMS).join(",") },
        orders: { type: "string", default: ORDERS.join(",") },
        page: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { exit: 0, say: HELP };
    const forms = values.forms.split(",");
    const stranger = forms.find((form) => !Object.hasOwn(FORMS, form));
    if (stranger !== undefined)
      return refused(`--forms takes ${Object.keys(FORMS).join(", ")}, not "${stranger}"`);
    const orders = values.orders.split(",");
    const odd = orders.find((order) => !/^\d+$/.test(order) || Number(order) < 1 || Number(order) > LARGEST);
    if (odd !== undefined) return refused(`--orders takes whole numbers from 1 to ${LARGEST}, not "${odd}"`);
    return { forms, orders: orders.map(Number), page: values.page };
  } catch (error) {
    const [first] = (error as Error).message.split(/\. |\n/);
    return refused(first!);
  }
}

const refused = (why: string): { readonly exit: 2; readonly say: string } => ({
  exit: 2,
  say: `accuracy: ${why} (--help shows how)`,
});
