import type { MachineLoad, Noise } from "@tunelab/contract";
import { describe, expect, it } from "vitest";
import { claims } from "../src/commands/noise.ts";
import { busyFault, busyLine, loadText } from "../src/load-text.ts";

const quiet: MachineLoad = { cores: 2, loadAverage: 0.06, othersCores: 0, competitors: [], busy: false };
const busy: MachineLoad = {
  cores: 8,
  loadAverage: 3.21,
  othersCores: 1.234,
  competitors: [
    { name: "chrome", cores: 0.91 },
    { name: "make", cores: 0.2 },
  ],
  gpu: { utilisation: 0.4, programs: ["python3"] },
  busy: true,
};
/** Five samples in ten are a tenth longer: slots of three and quads see some of it. */
const samplesNs = Array.from({ length: 204 }, (_, index) => 1e6 * (1 + 0.1 * (Math.floor(index / 5) % 2)));
const noise = (gateReachable: boolean): Noise => ({ kernel: "fma", samplesNs, cv: 0.1, gateReachable });

describe("the machine in words", () => {
  it("names who else works, with numbers, on a line of its own", () => {
    expect(loadText(busy)).toBe(
      "load 3.2 on 8 cores; others take 1.2 cores (chrome 0.91, make 0.20); the GPU is 40.0% in use (python3)",
    );
    expect(busyLine(busy)).toMatch(/^The machine is BUSY: /);
    expect(busyLine(quiet)).toBe("The machine is quiet: load 0.1 on 2 cores; others take no core");
  });

  it("is refused by --require-quiet in one line with the number and what to do", () => {
    expect(busyFault(busy).message).toMatch(/busy \(load 3\.2 .*\): stop .*--require-quiet/);
  });
});

describe("what can be claimed", () => {
  it("begins with the smallest difference that a comparison could see, or says that it is unknown", () => {
    expect(claims(noise(true), quiet)).toMatch(/^Two variants .* from \d[\d.]*% on \(16 quads\)/);
    expect(claims({ ...noise(true), samplesNs: [1, 2, 3] }, quiet)).toMatch(/^Too few timings/);
  });

  it("depends on the device, and blames other programs only when there are some", () => {
    expect(claims(noise(true), quiet)).toMatch(/Quiet enough.*2\.00%.*certified/);
    expect(claims(noise(false), quiet)).toMatch(/rank ties[\s\S]*No other program/);
    expect(claims(noise(false), busy)).toMatch(/rank ties[\s\S]*stop those named/);
  });
});
