import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface Report {
  readonly event: string;
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly started: boolean;
  readonly answer: number;
}

/** A running cluster-process. */
export class ClusterUser {
  readonly process: ChildProcess;
  private readonly reports: Report[] = [];
  private readonly listeners = new Set<() => void>();
  private errors = '';

  constructor(dataDir?: string) {
    const program = fileURLToPath(new URL('cluster-process.js', import.meta.url));
    this.process = spawn(process.execPath, [program, ...(dataDir === undefined ? [] : [dataDir])], { detached: true, stdio: 'pipe' });
    this.process.stderr?.on('data', (text: Buffer) => (this.errors += text.toString()));
    createInterface({ input: this.process.stdout! }).on('line', (line) => {
      this.reports.push(JSON.parse(line) as Report);
      for (const listener of this.listeners) listener();
    });
    this.process.on('exit', () => this.listeners.forEach((listener) => listener()));
  }

  /** The next report of this event. */
  async reported(event: string): Promise<Report> {
    for (;;) {
      const index = this.reports.findIndex((report) => report.event === event);
      if (index >= 0) return this.reports.splice(index, 1)[0]!;
      if (this.ended) throw new Error(`the process ended before it reported "${event}": ${this.errors}`);
      await new Promise<void>((resolve) => {
        this.listeners.add(resolve);
      });
    }
  }

  /** Like Ctrl-C in a terminal: to the whole process group. */
  interrupt(): void {
    process.kill(-this.process.pid!, 'SIGINT');
  }

  async kill(): Promise<void> {
    if (this.ended) return;
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<Report> {
    this.process.stdin!.write('stop\n');
    return this.reported('stopped');
  }

  private get ended(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }
}

/** Polls: exits of other processes and deletions raise no event. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(10);
}
