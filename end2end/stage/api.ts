// What a console has read, as its API tells it: for waiting until it has.

import type { Page } from "@playwright/test";

export interface Panel<Body> {
  body: Body | null;
}

export interface Broker {
  /** The dead letter is the last. */
  queues: { name: string; ready: number | null; dead_letter: boolean }[];
}

export interface Locks {
  orphan: { value: number };
  rows: { lock: { key: string; state: string } }[];
}

export interface Overview {
  records: Panel<object>;
  locks: Panel<Locks>;
  brokers: Panel<Broker>[];
}

export async function overview(page: Page, source: string): Promise<Overview> {
  return (await page.request.get(`/api/sources/${source}/overview`)).json();
}

/** State of each lock that the collector follows, by its key. */
export async function lockStates(page: Page): Promise<Record<string, string>> {
  const { locks } = await overview(page, "points");
  return Object.fromEntries((locks.body?.rows ?? []).map(({ lock }) => [lock.key, lock.state]));
}
