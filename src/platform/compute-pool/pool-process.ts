import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { ComputeResult, ComputeTask } from '../../ports/index.js';
import { CHANNEL, forgetFrame, readAnswer, taskFrame } from './ipc.js';
import { FrameReader, writeFrame } from './frame.js';

export interface ProcessOptions {
  /** The program: reads its setup, then answers each task (`serveComputeTasks`). */
  readonly program: URL;
  readonly setup: object;
  /** The limit of its heap, in MiB; a process that needs more ends. */
  readonly memoryMb: number;
  /** Variables added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds for one task; then the process is killed. */
  readonly timeoutMs: number;
}

interface Running {
  readonly resolve: (answer: ComputeResult) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** The end of its standard error is kept, to report why it ended. */
const PRINTED_CHARACTERS = 2_000;

/** One process that works on one task at a time. Ends with this process, whatever ends this one: its channel is closed then. */
export class PoolProcess {
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  #running: Running | null = null;
  #printed = '';
  #killReason: DomainError | null = null;

  /** `onGone` is called when it can take no further tasks. */
  constructor(options: ProcessOptions, onGone: () => void) {
    this.#options = options;
    this.#child = spawn(process.execPath, ['--enable-source-maps', `--max-old-space-size=${options.memoryMb}`, fileURLToPath(options.program)], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.environment },
    });
    this.#channel = this.#child.stdio[CHANNEL] as Duplex;
    const reader = new FrameReader((frame) => this.#complete((running) => running.resolve(readAnswer(frame))));
    this.#channel.on('data', (chunk: Buffer) => reader.push(chunk)).on('error', () => {}); // a broken channel shows when the process ends
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#printed = (this.#printed + chunk.toString()).slice(-PRINTED_CHARACTERS)));
    const gone = (): void => {
      onGone();
      this.#complete(() => {
        throw this.#causeOfEnd();
      });
    };
    this.#child.once('error', gone).once('close', gone);
    writeFrame(this.#channel, { head: options.setup, body: new Uint8Array() });
  }

  compute(task: ComputeTask): Promise<ComputeResult> {
    return new Promise((resolve, reject) => {
      const { timeoutMs } = this.#options;
      const timer = setTimeout(() => this.kill(tooLong(timeoutMs)), timeoutMs);
      this.#running = { resolve, reject, timer };
      writeFrame(this.#channel, taskFrame(task));
    });
  }

  /** Also while it works on a task. There is no answer. */
  forget(tenantId: string, sessionId: string): void {
    writeFrame(this.#channel, forgetFrame({ tenantId, sessionId }));
  }

  /** Kills the process; its current task is rejected with `reason`. */
  kill(reason: DomainError): void {
    this.#killReason ??= reason;
    this.#child.kill('SIGKILL'); // a busy event loop would not handle SIGTERM
  }

  #complete(how: (running: Running) => void): void {
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
    if (this.#killReason) return this.#killReason;
    const { signalCode, exitCode } = this.#child;
    // V8 aborts when the heap is exhausted; the kernel kills when the machine's memory is.
    if (signalCode === 'SIGABRT' || signalCode === 'SIGKILL' || exitCode === ABORTED) return tooMuch(this.#options.memoryMb);
    if (signalCode !== null && CRASH_SIGNALS.includes(signalCode)) return crashed(signalCode);
    return new Error(`a compute process ended (${signalCode ?? exitCode}): ${this.#printed}`);
  }
}

/** Crashes of native code, caused by the task. */
const CRASH_SIGNALS: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE'];

function crashed(signal: NodeJS.Signals): DomainError {
  return new DomainError('unavailable', 'The computation failed: it crashes the program that runs it.', [], { signal });
}

/** Exit code of an abort where a shell or an init process reports it. */
const ABORTED = 134;

function tooLong(limit: number): DomainError {
  return new DomainError('unavailable', `The computation exceeded the limit of ${limit} ms; request less at once.`, [], { limit });
}

function tooMuch(limit: number): DomainError {
  return new DomainError('payload_too_large', `The computation exceeded the memory limit of ${limit} MB; request less at once.`, [], {
    limit,
  });
}
