import { defaultServerConditions } from "vite";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/**
 * One vitest configuration for every package: workspace imports resolve to TypeScript sources. `pnpm test` runs
 * `test/*.test.ts`; `*.deep.test.ts` (real browsers, long GPU tests) run only under `pnpm test:deep` (TUNELAB_DEEP=1).
 */
const deep = process.env.TUNELAB_DEEP === "1";

const shared: ViteUserConfig = defineConfig({
  resolve: { conditions: ["@tunelab/source"] },
  ssr: { resolve: { conditions: ["@tunelab/source", ...defaultServerConditions] } },
  test: {
    include: deep ? ["test/**/*.deep.test.ts"] : ["test/**/*.test.ts"],
    exclude: deep ? ["**/node_modules/**"] : ["**/node_modules/**", "**/*.deep.test.ts"],
    pool: "forks",
    testTimeout: 30_000,
    passWithNoTests: deep,
  },
});

export default shared;
