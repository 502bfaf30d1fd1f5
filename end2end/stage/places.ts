// Every page, with what its first heading says.

export interface Place {
  name: string;
  path: string;
}

export const PLACES: Place[] = [
  { name: "overview", path: "/s/points/overview" },
  { name: "records", path: "/s/points/records" },
  { name: "records-processing", path: "/s/points/records?status=processing" },
  { name: "lookup-stuck", path: "/s/quiet/lookup?type=SIGN_IN&key=gone-1" },
  { name: "lookup-in-progress", path: "/s/points/lookup?type=ORDER_DONE&key=alive-1" },
  { name: "lookup-unknown", path: "/s/quiet/lookup?key=never-seen" },
  { name: "locks", path: "/s/points/locks" },
  { name: "brokers", path: "/s/points/brokers" },
  { name: "settings", path: "/settings" },
];

/** For somebody who is not signed in. */
export const ENTRANCES: Place[] = [
  { name: "signin", path: "/signin" },
  { name: "link-unknown", path: "/link/nothing-like-a-secret" },
];
