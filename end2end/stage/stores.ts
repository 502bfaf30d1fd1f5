// The run's shared services, as `lab run` tells them.

import { freePort, Program, run } from "./program.ts";

function address(variable: string): URL {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set: start this by ./dev test, or under \`lab run\``);
  return new URL(url);
}

export function mariadbUrl(database: string): string {
  const url = address("LAB_MARIADB_URL");
  url.pathname = `/${database}`;
  return url.href;
}

export function postgresUrl(database: string): string {
  const url = address("LAB_POSTGRES_URL");
  url.pathname = `/${database}`;
  return url.href;
}

/** What no page may show. */
export function passwords(): string[] {
  const all = ["LAB_MARIADB_URL", "LAB_POSTGRES_URL", "LAB_RABBITMQ_URL"].map((variable) => address(variable).password);
  return all.filter((password) => password !== "");
}

/** Runs statements; gives the rows of a query, tab-separated. */
export async function mariadb(sql: string, database = ""): Promise<string> {
  const { hostname, port, username, password } = address("LAB_MARIADB_URL");
  const login = [`--host=${hostname}`, `--port=${port}`, `--user=${decodeURIComponent(username)}`];
  if (password) login.push(`--password=${decodeURIComponent(password)}`);
  const args = ["--no-defaults", ...login, "--default-character-set=utf8mb4", "--batch", "--skip-column-names"];
  return run("mariadb", database ? [...args, database] : args, sql);
}

export async function postgres(sql: string, database = "postgres"): Promise<string> {
  return run("psql", ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname", postgresUrl(database)], sql);
}

/** A Redis: the shared one, or one of our own that may be killed. */
export class Redis {
  private constructor(
    readonly url: string,
    private program?: Program,
  ) {}

  static shared(): Redis {
    return new Redis(address("LAB_REDIS_URL").href.replace(/\/$/, ""));
  }

  static async start(): Promise<Redis> {
    const redis = new Redis(`redis://127.0.0.1:${await freePort()}`);
    await redis.startAgain();
    return redis;
  }

  async startAgain(): Promise<void> {
    const { port } = new URL(this.url);
    const program = Program.start("redis-server", ["--bind", "127.0.0.1", "--port", port, "--save", ""]);
    await program.until("accepting connections", (said) => (said.includes("Ready to accept connections") ? true : undefined));
    this.program = program;
  }

  async kill(): Promise<void> {
    await this.program?.stop("SIGKILL");
  }

  /** It takes what it is asked and does not answer, until it goes on. */
  hang(): void {
    this.program?.signal("SIGSTOP");
  }

  goOn(): void {
    this.program?.signal("SIGCONT");
  }

  async command(...words: string[]): Promise<string> {
    return (await run("redis-cli", ["-u", this.url, "--raw", ...words])).trimEnd();
  }
}

/** One vhost of the shared RabbitMQ. */
export class Vhost {
  private constructor(readonly name: string) {}

  static async create(name: string): Promise<Vhost> {
    const vhost = new Vhost(name);
    await vhost.ask("PUT", `/api/vhosts/${name}`);
    const everything = { configure: ".*", write: ".*", read: ".*" };
    await vhost.ask("PUT", `/api/permissions/${name}/${Vhost.management().username}`, everything);
    return vhost;
  }

  private static management(): URL {
    return address("LAB_RABBITMQ_URL");
  }

  get url(): string {
    return Vhost.management().href.replace(/\/$/, "");
  }

  async queue(name: string): Promise<void> {
    await this.ask("PUT", `/api/queues/${this.name}/${name}`, { durable: true });
  }

  async publish(queue: string, body: string): Promise<void> {
    const message = { properties: {}, routing_key: queue, payload: body, payload_encoding: "string" };
    await this.ask("POST", `/api/exchanges/${this.name}/amq.default/publish`, message);
  }

  /** Takes the oldest message away, as a consumer that acks it would. */
  async take(queue: string): Promise<void> {
    await this.ask("POST", `/api/queues/${this.name}/${queue}/get`, { count: 1, ackmode: "ack_requeue_false", encoding: "auto" });
  }

  async delete(): Promise<void> {
    await this.ask("DELETE", `/api/vhosts/${this.name}`);
  }

  private async ask(method: string, path: string, body: unknown = {}): Promise<void> {
    const { origin, username, password } = Vhost.management();
    const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
    const headers = { authorization: `Basic ${basic}`, "content-type": "application/json" };
    const answer = await fetch(origin + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`RabbitMQ: ${method} ${path}: ${answer.status} ${await answer.text()}`);
  }
}
