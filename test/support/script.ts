import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { until } from './until.js';

/** How a program ended: its exit code, or the signal that ended it. */
export type Ended = number | NodeJS.Signals;

interface Listed {
  readonly pid: number;
  readonly parent: number;
  /** With the time of its start, so that another process of the same number is not taken for it. */
  readonly line: string;
}

/** A program as a user starts it, with every process that it starts in turn. */
export class Script {
  readonly exited: Promise<Ended>;
  /** As `exited`, once all output has arrived: later, if a descendant still has it open. */
  readonly closed: Promise<Ended>;
  #ended = false;
  #output = '';
  #started: readonly Listed[] = [];

  private constructor(private readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? -1)));
    this.closed = new Promise((resolve) => child.once('close', () => resolve(this.exited)));
    void this.exited.then(() => (this.#ended = true));
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
  }

  static start(command: readonly [string, ...string[]], cwd: string, environment: Readonly<Record<string, string>> = {}): Script {
    const [program, ...programArguments] = command;
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
    return new Script(spawn(program, programArguments, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** Of it and of what it started. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when the output matches; rejects when the program ends without that. */
  async printed(text: RegExp, seconds = 120): Promise<void> {
    const holds = async (): Promise<boolean> => {
      if (text.test(this.#output)) return true;
      if (this.#ended) throw new Error(`it ended and did not print ${text}`);
      return false;
    };
    await until(`it prints ${text}`, holds, seconds).catch((error: unknown) => {
      throw new Error(`it printed only:\n${this.#output}`, { cause: error });
    });
  }

  /** Sends it a signal, and remembers which processes there are to end. */
  signal(signal: NodeJS.Signals): void {
    this.#started = this.#tree();
    this.child.kill(signal);
  }

  /** Those of the processes that were there at the signal which still run. */
  left(): readonly string[] {
    const running = new Set(listed().map(({ line }) => line));
    return this.#started.filter(({ line }) => running.has(line)).map(({ line }) => line);
  }

  /** Ends what a failed test has left running. */
  endAll(): void {
    const running = new Set(listed().map(({ line }) => line));
    for (const { pid, line } of [...this.#tree(), ...this.#started]) {
      if (running.delete(line)) process.kill(pid, 'SIGKILL');
    }
  }

  /** Its process and the descendants of that. */
  #tree(): readonly Listed[] {
    const all = listed();
    const tree = all.filter(({ pid }) => pid === this.child.pid);
    for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
    return tree;
  }
}

/** The processes of this machine. */
function listed(): readonly Listed[] {
  const lines = execFileSync('ps', ['axo', 'pid=,ppid=,stat=,lstart=,args=']).toString().trim().split('\n');
  return lines.flatMap((text) => {
    const [, pid, parent, state, line] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(text) ?? [];
    return state === undefined || line === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), line: `${pid} ${line}` }];
  });
}
