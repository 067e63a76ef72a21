/** Configurations that come to the same plan: measured once. */
export interface Identical<C> {
  readonly hash: string;
  /** In the order they came; the first stands for all. */
  readonly configs: readonly C[];
}

/** Groups configurations by the hash of their plan, groups in the order of their first member. */
export async function dedupe<C>(
  configs: Iterable<C>,
  hash: (config: C) => string | Promise<string>,
): Promise<readonly Identical<C>[]> {
  const groups = new Map<string, C[]>();
  for (const config of configs) {
    const key = await hash(config);
    const group = groups.get(key);
    if (group) group.push(config);
    else groups.set(key, [config]);
  }
  return [...groups].map(([key, members]) => ({ hash: key, configs: members }));
}
