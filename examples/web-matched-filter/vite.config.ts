import { defineConfig } from "vite";

/** `base` relative, so that the built page runs from any folder of a server; workspace packages come from their sources. */
export default defineConfig({
  base: "./",
  resolve: { conditions: ["@tunelab/source", "module", "browser", "default"] },
});
