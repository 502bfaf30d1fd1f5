// Server and browser must draw the same bytes. The server's are the golden files of the charts' own tests; here the
// same charts are drawn by WebAssembly.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "@playwright/test";

const GOLDEN = new URL("../../app/src/charts/snapshots/app__charts__tests__", import.meta.url).pathname;
const drawings: { draw(kind: string, json: string): string } = createRequire(import.meta.url)("../../target/drawings/drawings.js");

/** A golden file without its head. */
function golden(name: string): string {
  return readFileSync(`${GOLDEN}${name}.snap`, "utf8").split("\n---\n").slice(1).join("\n---\n").trimEnd();
}

for (const [kind, name] of [
  ["line", "two_lines_with_a_threshold_and_a_gap"],
  ["bars", "bars_by_age"],
  ["spark", "a_sparkline"],
] as const) {
  test(`${kind}: WebAssembly draws what the server draws`, () => {
    const drawn = drawings.draw(kind, golden(`${kind}.input`)).replaceAll("><", ">\n<");
    expect(drawn).toBe(golden(name));
  });
}
