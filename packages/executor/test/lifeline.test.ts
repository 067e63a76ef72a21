import { describe, expect, it } from "vitest";
import { Lifeline } from "../src/lifeline.ts";

/** A device that is lost when told to. */
function mortal() {
  let lose: (info: GPUDeviceLostInfo) => void = () => {};
  const lost = new Promise<GPUDeviceLostInfo>((resolve) => {
    lose = resolve;
  });
  const die = (message: string) => lose({ reason: "unknown", message } as GPUDeviceLostInfo);
  return { die, lifeline: new Lifeline({ lost } as GPUDevice) };
}

const never = new Promise<never>(() => {});

describe("Lifeline", () => {
  it("hands through what settles while the device lives", async () => {
    const { lifeline } = mortal();
    expect(await lifeline.guard(Promise.resolve(7))).toBe(7);
    await expect(lifeline.guard(Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(() => lifeline.check()).not.toThrow();
  });

  it("rejects every call that would wait forever when the device is lost", async () => {
    const { lifeline, die } = mortal();
    const pending = [lifeline.guard(never), lifeline.guard(never)];
    die("the driver reset\nstack...");
    for (const call of pending) {
      await expect(call).rejects.toMatchObject({
        kind: "device-lost",
        message: "the GPU device was lost (unknown): the driver reset; open a new device",
      });
    }
    expect(await lifeline.lost).toMatchObject({ kind: "device-lost" });
  });

  it("rejects later calls at once, and swallows what they would have rejected with", async () => {
    const { lifeline, die } = mortal();
    die("gone");
    await lifeline.lost;
    expect(() => lifeline.check()).toThrow(/was lost/);
    await expect(lifeline.guard(Promise.reject(new Error("aborted")))).rejects.toMatchObject({
      kind: "device-lost",
    });
  });
});
