/** Strings and the brackets that open and close objects and lists; a string inside is never taken apart. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;

/**
 * The first key that comes twice in one object of a well-formed JSON text, undefined when none does. JSON.parse keeps the last
 * of the two and says nothing.
 */
export function repeatedKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []; // undefined for a list
  TOKENS.lastIndex = 0;
  for (let match = TOKENS.exec(text); match; match = TOKENS.exec(text)) {
    const [token] = match;
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else {
      const keys = open.at(-1);
      if (!keys || !isKey(text, TOKENS.lastIndex)) continue;
      const key = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return undefined;
}

/** Whether the next character that is no space is a colon. */
function isKey(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return text[at] === ":";
}
