// Programs and ports: what the stage is built from.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Runs to the end; throws with what it said when that is not 0. */
export function run(program: string, args: string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(" ")}: ${stderr || error.message}`));
      else resolve(stdout);
    });
    // One that ends without reading is judged by how it ended.
    child.stdin?.on("error", () => {}).end(input);
  });
}

/** Nobody listens on it now; the kernel will not give it to others soon. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A program that runs until it is stopped, and everything that it has said. */
export class Program {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    private readonly said: { text: string },
  ) {}

  static start(name: string, args: string[], cwd?: string): Program {
    const child = spawn(name, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const said = { text: "" };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => (said.text += chunk));
    }
    child.on("error", (error) => (said.text += error.message));
    return new Program(name, child, said);
  }

  get output(): string {
    return this.said.text;
  }

  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** What `look` finds; throws with the program's output when it ends before that, or does not say it in time. */
  async until<T>(what: string, look: (output: string) => Promise<T | undefined> | T | undefined, seconds = 30): Promise<T> {
    const deadline = performance.now() + seconds * 1000;
    for (;;) {
      const found = await look(this.output);
      if (found !== undefined) return found;
      if (this.ended || performance.now() > deadline) {
        throw new Error(`${this.name} ${this.ended ? "ended" : "is still"} without ${what}. It said:\n${this.output}`);
      }
      await new Promise((resume) => setTimeout(resume, 50));
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.ended) return;
    const gone = once(this.child, "exit");
    this.child.kill(signal);
    const patience = setTimeout(() => this.child.kill("SIGKILL"), 10_000);
    await gone;
    clearTimeout(patience);
  }
}
