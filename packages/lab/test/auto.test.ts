import { referenceAuto } from "@tunelab/selection";
import { describe, expect, it } from "vitest";
import { listedStudies, studyName } from "../src/study-tables.ts";

const studies = await listedStudies();
const autoOf = (name: string) => {
  const { study } = studies.find((one) => studyName(one) === name)!;
  return { study, auto: referenceAuto(study.reference!, study.chooses!, study.dimensions)! };
};

describe("the rules that the eigensolver's document gives", () => {
  it("choose threads as the document says: more for larger matrices, fewer for larger batches, cheaper than its own rule", () => {
    const { study, auto } = autoOf("eigh/threads");
    expect(auto.rule.powers.batch).toBeLessThan(0);
    expect(auto.rule.steps.map(({ option }) => Number(option))).toEqual([32, 64, 128, 256, 512, 1024]);
    const names = study.chooses!.of.map(({ name }) => name);
    const theirs = study.reference!.rows.map(({ figures }) => {
      const best = Math.min(...names.map((name) => figures[name]).filter((us) => typeof us === "number"));
      return Number(figures.auto) / best;
    });
    expect(auto.regret.worst).toBeLessThan(Math.max(...theirs));
    expect(auto.heldOut!.median).toBeLessThan(1.1);
    expect(auto.heldOut!.worst).toBeLessThan(Math.max(...theirs));
  });

  it("put the crossover of backends near n = 100 to 160, later for one matrix than for many", () => {
    const { auto } = autoOf("eigh/backends");
    expect(auto.rule.steps.map(({ option }) => option)).toEqual(["scalar", "block"]);
    expect(auto.rule.powers.batch).toBeGreaterThan(0);
    expect(auto.rule.steps[1]!.from).toBeGreaterThan(100);
    expect(auto.rule.steps[1]!.from).toBeLessThan(200);
    expect(auto.regret.worst).toBeLessThan(1.1);
  });

  it("take one inner sweep everywhere", () => {
    expect(autoOf("eigh/inner").auto.rule.steps).toEqual([{ option: "inner=1", from: 0 }]);
  });
});
