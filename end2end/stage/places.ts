// Every page.

export interface Place {
  name: string;
  path: string;
  /** What stands on it, with and without script. */
  shows: string[];
  /** Its own, where it is not 200. */
  status?: number;
}

const LOOKUP = [".verdict__title", ".verdict .facts li", ".layer .layer__state"];

export const PLACES: Place[] = [
  { name: "overview", path: "/s/points/overview", shows: [".tile__value", ".attention li", "svg.chart", "tbody tr"] },
  { name: "overview-week", path: "/s/points/overview?range=7d", shows: [".tile__value", ".menu--range a", "svg.chart"] },
  { name: "records", path: "/s/points/records", shows: [".chip", "tbody tr"] },
  { name: "records-processing", path: "/s/points/records?status=processing", shows: [".token", "tbody tr"] },
  { name: "records-search", path: "/s/points/records?status=completed&q=key:done-00*+age:<30d", shows: [".token", "tbody tr"] },
  { name: "lookup-stuck", path: "/s/quiet/lookup?type=SIGN_IN&key=gone-1", shows: LOOKUP },
  { name: "lookup-in-progress", path: "/s/points/lookup?type=ORDER_DONE&key=alive-1", shows: LOOKUP },
  { name: "lookup-unknown", path: "/s/quiet/lookup?type=SIGN_IN&key=never-seen", shows: LOOKUP },
  { name: "locks", path: "/s/points/locks", shows: [".tile__value", "tbody tr"] },
  { name: "brokers", path: "/s/points/brokers", shows: [".tile__value", "tbody tr"] },
  { name: "audit", path: "/audit", shows: [".headline .pill", ".chip", ".filter__help dd"] },
  { name: "settings", path: "/settings", shows: ["tbody tr", "dl.kv dd"] },
];

/** With nothing to show, which they say. */
export const EMPTY: Place[] = [
  { name: "records-none-dead", path: "/s/quiet/records?status=dead", shows: [".state__title"] },
  { name: "records-type-unknown", path: "/s/points/records?type=NEVER_HEARD_OF", shows: [".state__title"] },
  { name: "records-search-refused", path: "/s/points/records?status=failed&q=age:10m", shows: [".state__title", ".filter__help dd"], status: 400 },
  { name: "archive-not-configured", path: "/s/points/archive", shows: [".state__title", ".code pre"] },
  { name: "audit-search-refused", path: "/audit?q=since:noon", shows: [".state__title"], status: 400 },
  { name: "lookup", path: "/s/points/lookup", shows: [".lookup-form label"] },
  { name: "overview-range-refused", path: "/s/points/overview?from=yesterday", shows: ["h1", "a.btn"], status: 400 },
  { name: "operations-none", path: "/s/quiet/operations", shows: [".state__title"] },
  { name: "operation-unknown", path: "/s/points/operations/none", shows: ["h1", "a.btn"], status: 404 },
  { name: "page-unknown", path: "/nowhere", shows: ["h1", "a.btn"], status: 404 },
  { name: "source-unknown", path: "/s/nobody/overview", shows: ["h1", "a.btn"], status: 404 },
];

/** For somebody who is not signed in. */
export const ENTRANCES: Place[] = [
  { name: "signin", path: "/signin", shows: ["h1", "label"] },
  { name: "link-unknown", path: "/link/nothing-like-a-secret", shows: ["h1", "a.btn"], status: 404 },
];
