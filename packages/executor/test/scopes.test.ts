import { describe, expect, it } from "vitest";
import { scoped } from "../src/scopes.ts";

/** A device whose scopes cannot be popped any more. */
const gone = {
  pushErrorScope: () => {},
  popErrorScope: () => Promise.reject(new Error("the device is gone")),
} as unknown as GPUDevice;

/** Rejections that reach the process while `work` runs and a while after. */
async function unheard(work: () => void): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  const hear = (reason: unknown): void => void found.push(reason);
  process.on("unhandledRejection", hear);
  work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("unhandledRejection", hear);
  return found;
}

describe("error scopes of a device that is gone", () => {
  it("that nobody reads end no process", async () => {
    expect(await unheard(() => scoped(gone, "x", () => 1))).toEqual([]);
  });

  it("around a call that throws end no process, and the call's own error is thrown", async () => {
    const found = await unheard(() => {
      expect(() =>
        scoped(gone, "x", () => {
          throw new Error("of the call");
        }),
      ).toThrow("of the call");
    });
    expect(found).toEqual([]);
  });

  it("that are read reject with why", async () => {
    await expect(scoped(gone, "x", () => 1).fault).rejects.toThrow("the device is gone");
  });
});
