/** A value in a message: text in quotes, so that "2" is not taken for 2. */
export const told = (value: unknown): string => (typeof value === "string" ? `"${value}"` : String(value));

/** Whether any of these options is given. */
export const given = (...options: readonly unknown[]): boolean =>
  options.some((option) => option !== undefined);
