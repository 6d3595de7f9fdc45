import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DomainError } from '../../core/errors.js';
import type { ComputeResult, ComputeTask } from '../../core/ports.js';
import { readAnswer, taskFrame } from './ipc.js';
import { FrameReader, writeFrame } from './frame.js';
import { LINE } from './ipc-descriptor.js';

export interface ProcessOptions {
  /** The program: reads its set-up, then tasks, and answers each (`serveComputeTasks`). */
  readonly program: URL;
  readonly setup: object;
  /** Its heap, in MiB; it ends when it needs more. */
  readonly memoryMb: number;
  /** Variables of its environment besides ours. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds that one task may take; then it is ended. */
  readonly timeoutMs: number;
}

interface Running {
  readonly resolve: (answer: ComputeResult) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** Of what a process printed, so much is kept to say why it ended. */
const PRINTED_CHARACTERS = 2_000;

/** One process that works on one task at a time. Ends with this process, whatever ends this one: its line is closed then. */
export class PoolProcess {
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  readonly #line: Duplex;
  #running: Running | null = null;
  #printed = '';
  #verdict: DomainError | null = null;

  /** `onGone` is told once it takes no further tasks. */
  constructor(options: ProcessOptions, onGone: () => void) {
    this.#options = options;
    this.#child = spawn(process.execPath, ['--enable-source-maps', `--max-old-space-size=${options.memoryMb}`, fileURLToPath(options.program)], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.environment },
    });
    this.#line = this.#child.stdio[LINE] as Duplex;
    const reader = new FrameReader((frame) => this.#settle((running) => running.resolve(readAnswer(frame))));
    this.#line.on('data', (chunk: Buffer) => reader.push(chunk)).on('error', () => {}); // that it is broken shows when the process ends
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#printed = (this.#printed + chunk.toString()).slice(-PRINTED_CHARACTERS)));
    const gone = (): void => {
      onGone();
      this.#settle(() => {
        throw this.#causeOfEnd();
      });
    };
    this.#child.once('error', gone).once('close', gone);
    writeFrame(this.#line, { head: options.setup, body: new Uint8Array() });
  }

  run(task: ComputeTask): Promise<ComputeResult> {
    return new Promise((resolve, reject) => {
      const { timeoutMs } = this.#options;
      const timer = setTimeout(() => this.end(tooLong(timeoutMs)), timeoutMs);
      this.#running = { resolve, reject, timer };
      writeFrame(this.#line, taskFrame(task));
    });
  }

  /** `verdict` is what the task it works on is refused with. */
  end(verdict: DomainError): void {
    this.#verdict ??= verdict;
    this.#child.kill('SIGKILL'); // in the middle of computing it would hear nothing gentler
  }

  #settle(how: (running: Running) => void): void {
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    clearTimeout(running.timer);
    try {
      how(running);
    } catch (error) {
      running.reject(error);
    }
  }

  #causeOfEnd(): Error {
    if (this.#verdict) return this.#verdict;
    const { signalCode, exitCode } = this.#child;
    // Out of heap V8 aborts; out of the machine's memory the system kills.
    if (signalCode === 'SIGABRT' || signalCode === 'SIGKILL' || exitCode === ABORTED) return tooMuch(this.#options.memoryMb);
    if (signalCode !== null && BREAKDOWNS.includes(signalCode)) return brokeDown(signalCode);
    return new Error(`the process for heavy work ended (${signalCode ?? exitCode}): ${this.#printed}`);
  }
}

/** Faults of native code, which the task has brought about. */
const BREAKDOWNS: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE'];

function brokeDown(signal: NodeJS.Signals): DomainError {
  return new DomainError('unavailable', 'This could not be worked out: it breaks the program that tries.', [], { signal });
}

/** Exit code of an abort where a shell or an init process reports it. */
const ABORTED = 134;

function tooLong(limit: number): DomainError {
  return new DomainError('unavailable', `This takes longer than the ${limit} ms that one answer may; ask for less at once.`, [], { limit });
}

function tooMuch(limit: number): DomainError {
  return new DomainError('payload_too_large', `Working this out takes more than the ${limit} MB of memory that one answer may; ask for less at once.`, [], {
    limit,
  });
}
