import { defineConfig } from "tsdown";

/** Workspace packages and fft.js are bundled (its licence stands in THIRD-PARTY.md), so that the published package stands alone. */
export default defineConfig({
  entry: ["src/index.ts", "src/core.ts", "src/fft.ts", "src/matched-filter.ts", "src/tables.ts"],
  platform: "neutral",
  dts: true,
  sourcemap: true,
  fixedExtension: false,
  deps: { alwaysBundle: [/^@tunelab\//, "fft.js"] },
  inputOptions: {
    // Neutral platforms have no main fields of their own, and fft.js has no exports.
    resolve: { conditionNames: ["@tunelab/source", "import", "default"], mainFields: ["module", "main"] },
  },
});
