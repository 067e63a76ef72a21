import { Fault } from "@tunelab/contract";

/** Linear workgroup indexes are u32 in the text; one more would wrap to zero and write an item twice. */
const INDEXES = 2 ** 32;

/**
 * Workgroup counts [x, y, z], each at most `limit`, whose product covers `count` with little excess. The text computes its
 * linear index from workgroup_id and num_workgroups and leaves the excess idle.
 * @throws Fault `unsupported` when `count` is over limit^3 or the folded product over 2^32.
 */
export function foldGroups(count: number, limit: number): readonly [number, number, number] {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new Fault("usage", `a dispatch of ${count} workgroups: the count must be a non-negative integer`);
  }
  const refuse = (limitName: string, most: number): never => {
    throw new Fault(
      "unsupported",
      `a dispatch of ${count} workgroups is over ${most} (${limitName}): cut the batch or give a workgroup more items`,
      { limit: limitName, need: count, have: most },
    );
  };
  if (count > limit ** 3) refuse("maxComputeWorkgroupsPerDimension cubed", limit ** 3);
  const z = Math.max(1, Math.ceil(count / limit ** 2));
  const slice = Math.ceil(count / z);
  const y = Math.max(1, Math.ceil(slice / limit));
  const x = Math.ceil(slice / y);
  if (x * y * z > INDEXES) refuse("u32 workgroup indexes", INDEXES);
  return [x, y, z];
}
