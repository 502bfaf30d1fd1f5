import { readFile } from "node:fs/promises";
import { expect, type Page, test } from "../stage/test.ts";
import { HOSTILE } from "../stage/team.ts";

/** Presses a link to a file and gives the file's name and its lines. */
async function download(page: Page, name: RegExp): Promise<{ file: string; lines: string[] }> {
  const [begun] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name }).first().click()]);
  const text = await readFile(await begun.path(), "utf8");
  return { file: begun.suggestedFilename(), lines: text.split("\r\n").slice(0, -1) };
}

test("a list comes as a file, with its filter", async ({ page }) => {
  await page.goto("/s/points/records?status=processing");
  const { file, lines } = await download(page, /^CSV Records$/);
  expect(file).toMatch(/^points-records-\d{8}T\d{6}Z\.csv$/);
  expect(lines[0]).toBe("id,type,key,status,code,created_at,updated_at,attempts,error,owner,lease_until");
  const keys = await page.locator("tbody .key").count();
  expect(lines).toHaveLength(keys + 1);
  expect(lines.filter((line) => line.includes(",processing,1,"))).toHaveLength(keys);
  expect(lines.join("\n")).toContain(HOSTILE.replaceAll('"', '""'));
});

test("every page has its files", async ({ page }) => {
  const pages: [string, [RegExp, string][]][] = [
    [
      "/s/points/overview",
      [
        [/^CSV Overview$/, "at,step_s,processing,aging,oldest_ms"],
        [/^CSV Needs attention$/, "kind,of,count,since"],
        [/^CSV Aging pending over time$/, "at,step_s,aging"],
        [/^CSV Processing records by age$/, "from_ms,to_ms,records"],
        [/^CSV Longest in processing$/, "id,type,key,status"],
      ],
    ],
    ["/s/points/locks", [[/^CSV Locks that need a look first$/, "type,key,state,ttl_ms,owner"]]],
    ["/s/points/brokers", [[/^CSV Brokers$/, "broker,address,vhost,read_at,seen,queue"]]],
    ["/s/points/lookup?type=ORDER_DONE&key=alive-1", [[/^CSV What consumers wrote down$/, "type,key,at,worker,delivery,lock,record,outcome"]]],
    ["/settings", [[/^CSV Sources$/, "source,engine,version,table,timezone,strategy"]]],
  ];
  for (const [path, files] of pages) {
    await page.goto(path);
    for (const [name, head] of files) {
      const { file, lines } = await download(page, name);
      expect(file, `${path} ${name}`).toMatch(/^(points|oncewatch)-[a-z-]+-[\dTZ-]+\.csv$/);
      expect(lines[0]!.startsWith(head), `${path} ${name}: ${lines[0]}`).toBe(true);
      expect(lines.length, `${path} ${name}`).toBeGreaterThan(1);
    }
  }
});
