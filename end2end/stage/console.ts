// A real `oncewatch serve` over a configuration, in a folder of its own.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort, Program } from "./program.ts";

export const ADMIN = { name: "lin.wei", password: "correct horse battery staple" };

export class Console {
  private constructor(
    readonly url: string,
    private readonly folder: string,
    private readonly program: Program,
  ) {}

  /** `sources`: the `[[source]]` sections. `state`: where its own state is kept; a file of its own when absent. */
  static async start(sources: string, { state, period = "1s" }: { state?: string; period?: string } = {}): Promise<Console> {
    const folder = await mkdtemp(join(tmpdir(), "oncewatch-end2end-"));
    const url = `http://127.0.0.1:${await freePort()}`;
    const settings = `
[server]
listen = "${new URL(url).host}"
[state]
url = "${state ?? `sqlite://${join(folder, "console.db")}`}"
[collect]
period = "${period}"
`;
    await writeFile(join(folder, "oncewatch.toml"), settings + sources);
    const binary = resolve(process.env.ONCEWATCH_BIN ?? "../target/debug/oncewatch");
    const program = Program.start(binary, ["serve", "--config", join(folder, "oncewatch.toml")], folder);
    const console = new Console(url, folder, program);
    await program.until("answering /readyz", () => fetch(`${url}/readyz`).then((answer) => answer.ok || undefined, () => undefined));
    return console;
  }

  /** The one-time link, printed at the first start, that makes the first admin. */
  async setUpLink(): Promise<string> {
    const path = await this.program.until("a set-up link", (said) => /\/link\/[^\s"'\x1b]+/.exec(said)?.[0]);
    return this.url + path;
  }

  get output(): string {
    return this.program.output;
  }

  async stop(): Promise<void> {
    await this.program.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
