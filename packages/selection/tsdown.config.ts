import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "known-faults": "src/known-faults/ledger.ts",
    reproducers: "src/known-faults/reproducers.ts",
  },
  dts: true,
  sourcemap: true,
  fixedExtension: false,
});
