import { defineConfig } from "tsdown";

/** Workspace packages, fft.js and ml-matrix are bundled (licences stand in THIRD-PARTY.md), so that the published package stands alone. */
export default defineConfig({
  entry: [
    "src/index.ts",
    "src/core.ts",
    "src/eigh.ts",
    "src/fft.ts",
    "src/matched-filter.ts",
    "src/tables.ts",
  ],
  platform: "neutral",
  dts: true,
  sourcemap: true,
  fixedExtension: false,
  deps: {
    alwaysBundle: [
      /^@tunelab\//,
      "fft.js",
      "ml-matrix",
      "is-any-array",
      "ml-array-rescale",
      "ml-array-max",
      "ml-array-min",
    ],
  },
  inputOptions: {
    // Neutral platforms have no main fields of their own, and fft.js has no exports.
    resolve: { conditionNames: ["@tunelab/source", "import", "default"], mainFields: ["module", "main"] },
  },
});
