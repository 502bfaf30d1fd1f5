import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The shell is the same engine without a window to draw, at a fraction of the work.
const CHROMIUM = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

// `./dev test` and `./dev shots` start this under `lab run`, which says by LAB_… where the run's services are.
export default defineConfig({
  testDir: ".",
  outputDir: "../target/end2end",
  forbidOnly: true,
  // A console and its stores start once for each worker; more than two only take turns on the machines of this project.
  workers: 2,
  fullyParallel: false,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "Asia/Shanghai",
    contextOptions: { reducedMotion: "reduce" },
    trace: { mode: "retain-on-failure", screenshots: false },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM || CHROMIUM.find((path) => existsSync(path)),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
  projects: [
    { name: "journeys", testMatch: "journeys/*.spec.ts" },
    { name: "shots", testMatch: "shots/*.spec.ts", fullyParallel: false },
    // A trace keeps the nodes that a page drops.
    { name: "heap", testMatch: "heap/*.spec.ts", use: { trace: "off" } },
  ],
});
