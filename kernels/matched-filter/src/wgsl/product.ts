/** a * conj(b), the correlation theorem's product. */
export const PRODUCT = `fn product(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y);
}`;
