import { block, lines, type Text } from "@tunelab/variants";
import { bounded } from "../../wgsl/bounded.ts";
import { fourOf, fours, total } from "../../wgsl/fours.ts";

/** Steps after which a root counts as not found; about 5 are usual. */
export const MOST_STEPS = 40;
/** f is zero where it is lost in what it is the sum of: eight times float32's unit roundoff. */
const LOST = "4.7683716e-7f";

/** f at `mu` from the pole `origin`: sums over poles to the left (down to minus infinity at pole k) and to the right, and those of their derivatives. */
const evaluate = (n: number, first: boolean): Text => {
  const sum = (from: string, to: string, into: string): Text => [
    `${first ? "var " : ""}${into}s = vec4f();`,
    `${first ? "var " : ""}d${into}s = vec4f();`,
    fours(
      from,
      to,
      n,
      `let z = ${fourOf((spot) => `kz[at + ${spot}]`)};`,
      // One division a pole: its square and its product with the weight's root are numbers where the distance's square is none.
      `let ratio = select(vec4f(), z / ((${fourOf((spot) => `kd[at + ${spot}]`)} - origin) - mu), whole);`,
      `${into}s += z * ratio;`,
      `d${into}s += ratio * ratio;`,
    ),
    `${first ? "var " : ""}${into} = ${total(`${into}s`)};`,
    `${first ? "var " : ""}d${into} = ${total(`d${into}s`)};`,
  ];
  return [
    sum("0u", "k + 1u", "left"),
    sum("k + 1u", "kept", "right"),
    `${first ? "var " : ""}f = weight + left + right;`,
  ];
};

/**
 * Root k of f(x) = 1 / rho + sum z_j^2 / (d_j - x) between poles k and k + 1, or beyond the last (Li 1994, the middle way): both sums are replaced by a pole and a
 * constant that have their values and slopes, so that the step is exact where two poles are all. Steps that leave the bracket halve it. The root is kept as `mu`, its
 * distance from the nearer pole `near`: differences to poles are then right to rounding, which is what orthogonal vectors need (Gu and Eisenstat 1995).
 * Expects at (u32), kept (u32), k (u32), rho; kd and kz in workgroup memory.
 */
export const rootText = (n: number): string =>
  lines(
    "let weight = 1.0f / rho;",
    "let last = k + 1u >= kept;",
    "let pole = kd[at + k];",
    "let next = kd[at + min(k + 1u, kept - 1u)];",
    "var near = k;",
    "var origin = pole;",
    "var low = 0.0f;",
    "var high = 0.5f * (next - pole);",
    block(
      "if (last)",
      "var squares = 0.0f;",
      bounded("j", "kept", n, "squares += kz[at + j] * kz[at + j];"),
      "high = rho * squares;",
    ),
    "var mu = high;",
    evaluate(n, true),
    // Between two poles the sign half way says which is nearer.
    block(
      "if (!last && f < 0.0f)",
      "near = k + 1u;",
      "origin = next;",
      "low = -high;",
      "high = 0.0f;",
      "mu = low;",
    ),
    "if (last) { high *= 1.00001f; }",
    "var found = false;",
    block(
      `for (var step = 0u; step < ${MOST_STEPS}u; step += 1u)`,
      block("if (step > 0u)", evaluate(n, false)),
      "steps += 1u;",
      `found = abs(f) <= ${LOST} * (weight + right - left);`,
      "if (f < 0.0f) { low = mu; } else { high = mu; }",
      "let slope = dleft + dright;",
      "let toPole = (pole - origin) - mu;",
      "let toNext = (next - origin) - mu;",
      "let c = f - toPole * dleft - toNext * dright;",
      "let a = (toPole + toNext) * f - toPole * toNext * slope;",
      "let b = toPole * toNext * f;",
      "let root = sqrt(abs(a * a - 4.0f * b * c));",
      "var by = select(2.0f * b / (a + root), (a - root) / (2.0f * c), a <= 0.0f);",
      "if (last) { by = toPole * f / (f - toPole * dleft); }",
      "if (!(f * by < 0.0f)) { by = -f / slope; }",
      "var there = mu + by;",
      block(
        "if (!found && !(there > low && there < high))",
        "there = select(sqrt(abs(low)) * sqrt(abs(high)), 0.0625f * max(abs(low), abs(high)), low == 0.0f || high == 0.0f);",
        "if (high <= 0.0f) { there = -there; }",
        "if (abs(high - low) <= 0.5f * abs(there)) { there = 0.5f * (low + high); }",
      ),
      // The step from where f is lost costs no evaluation more: a random matrix of order 3 ends with 1.0 instead of 3.0 n eps. A bracket without a number inside is a root.
      "let inside = there > low && there < high;",
      "found = found || there == mu || !inside;",
      "if (inside) { mu = there; }",
      "if (found) { break; }",
    ),
  );
