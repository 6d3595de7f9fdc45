import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface Said {
  readonly event: string;
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly started: boolean;
  readonly answer: number;
}

/** A running cluster-process, as the spec sees it. */
export class ClusterUser {
  readonly process: ChildProcess;
  private readonly said: Said[] = [];
  private readonly listeners = new Set<() => void>();
  private complaints = '';

  constructor(dataDir?: string) {
    const program = fileURLToPath(new URL('cluster-process.js', import.meta.url));
    this.process = spawn(process.execPath, [program, ...(dataDir === undefined ? [] : [dataDir])], { detached: true, stdio: 'pipe' });
    this.process.stderr?.on('data', (text: Buffer) => (this.complaints += text.toString()));
    createInterface({ input: this.process.stdout! }).on('line', (line) => {
      this.said.push(JSON.parse(line) as Said);
      for (const listener of this.listeners) listener();
    });
    this.process.on('exit', () => this.listeners.forEach((listener) => listener()));
  }

  /** The first report of this event that has not been asked for yet. */
  async hears(event: string): Promise<Said> {
    for (;;) {
      const index = this.said.findIndex((report) => report.event === event);
      if (index >= 0) return this.said.splice(index, 1)[0]!;
      if (this.ended) throw new Error(`the process ended before it said "${event}": ${this.complaints}`);
      await new Promise<void>((resolve) => {
        this.listeners.add(resolve);
      });
    }
  }

  /** As Ctrl-C in a terminal: to the whole process group. */
  interrupt(): void {
    process.kill(-this.process.pid!, 'SIGINT');
  }

  async kill(): Promise<void> {
    if (this.ended) return;
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<Said> {
    this.process.stdin!.write('stop\n');
    return this.hears('stopped');
  }

  private get ended(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }
}

/** Other processes' deaths and deletions raise no event. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(10);
}
