import { block, type Text } from "@tunelab/variants";

/** `body` where `condition` holds; as it is where the generator knows that it does (an empty condition). */
export function where(condition: string, ...body: readonly Text[]): Text {
  return condition === "" ? body : block(`if (${condition})`, ...body);
}
