// What a tab keeps of many live updates. `./dev bench see` starts this over a console whose source changes all the time,
// says by HEAP_… which, and reads what it writes.

import { writeFile } from "node:fs/promises";
import { type CDPSession, expect, type Page, test } from "@playwright/test";

/** Before the first look: whatever a page makes once, it has made by then. */
const WARM_UP = 360;

interface Heap {
  js: number;
  wasm: number;
  nodes: number;
}

function said(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start this by ./dev bench see`);
  return value;
}

test("a tab keeps nothing of the updates that it has shown", async ({ browser }) => {
  test.setTimeout(3_600_000);
  const wanted = Number(said("HEAP_UPDATES"));
  const context = await browser.newContext({ baseURL: said("HEAP_URL") });
  await context.addCookies([{ name: said("HEAP_COOKIE"), value: said("HEAP_SECRET"), url: said("HEAP_URL") }]);
  const page = await context.newPage();
  await page.addInitScript(watch);
  await page.goto("/s/tab/overview");
  const processing = page.locator(".tile", { hasText: "Processing" }).locator(".tile__value");
  const cdp = await context.newCDPSession(page);

  await until(page, WARM_UP);
  const before = await heap(page, cdp);
  const [from, shown, began] = [await updates(page), await processing.textContent(), performance.now()];
  await until(page, from + wanted);
  const seconds = (performance.now() - began) / 1_000;
  const after = await heap(page, cdp);
  const taken = (await updates(page)) - from;
  await expect(processing, "what came was shown").not.toHaveText(shown ?? "");
  await writeFile(said("HEAP_SAYS"), JSON.stringify({ before, after, updates: taken, seconds }));
});

/** Counts what the stream brings, and keeps a way to the script's memory. Runs in the page, before its own script. */
function watch(): void {
  const watched: { updates: number; memory?: WebAssembly.Memory } = { updates: 0 };
  const add = EventSource.prototype.addEventListener;
  const overheard = function (this: EventSource, name: string, listener: EventListener) {
    add.call(this, name, listener);
    if (name !== "open" && name !== "error") add.call(this, name, () => void (watched.updates += 1));
  };
  Object.assign(EventSource.prototype, { addEventListener: overheard });
  const start = WebAssembly.instantiateStreaming;
  const started: typeof start = async (source, imports) => {
    const made = await start.call(WebAssembly, source, imports);
    watched.memory = made.instance.exports.memory as WebAssembly.Memory;
    return made;
  };
  Object.assign(WebAssembly, { instantiateStreaming: started });
  Object.assign(window, { watched });
}

type Watching = { watched: { updates: number; memory: WebAssembly.Memory } };

function updates(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as Watching).watched.updates);
}

/** Asked once: each question leaves something of itself in the page. */
function until(page: Page, count: number): Promise<void> {
  return page.evaluate(
    (count) =>
      new Promise<void>((done) => {
        const timer = setInterval(() => {
          if ((window as unknown as Watching).watched.updates < count) return;
          clearInterval(timer);
          done();
        }, 500);
      }),
    count,
  );
}

/** After collection. */
async function heap(page: Page, cdp: CDPSession): Promise<Heap> {
  // What the first collection lets go of may hold on to more.
  for (let round = 0; round < 3; round++) await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const { nodes } = await cdp.send("Memory.getDOMCounters");
  const wasm = await page.evaluate(() => (window as unknown as Watching).watched.memory.buffer.byteLength);
  return { js: usedSize, wasm, nodes };
}
