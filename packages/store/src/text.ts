import * as v from "valibot";

const wellFormed = (part: string): string => new TextDecoder().decode(new TextEncoder().encode(part));

/** Text of a record. A message cut inside a surrogate pair has no UTF-8: it is mended here, else files could not give it back as it was. */
export const text: v.GenericSchema<string, string> = v.pipe(v.string(), v.transform(wellFormed));
