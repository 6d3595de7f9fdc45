import { DomainError } from '../../../packages/protocol/errors.js';
import { type ComputeResult, type ComputeTask, ComputePool } from '../../ports/index.js';
import { PoolProcess, type ProcessOptions } from './pool-process.js';

export interface PoolOptions extends ProcessOptions {
  /** The maximum number of processes. */
  readonly processes: number;
  /** The maximum number of waiting tasks. */
  readonly queue: number;
  /** Milliseconds after which an idle process is ended to release its memory. */
  readonly idleMs: number;
}

interface Waiting {
  readonly task: ComputeTask;
  readonly resolve: (answer: Promise<ComputeResult>) => void;
  readonly reject: (error: DomainError) => void;
}

interface Member {
  readonly process: PoolProcess;
  /** Ends the process when it stays idle; null while it works. */
  idle: NodeJS.Timeout | null;
}

/** Suggested delay before a retry, in seconds. */
const RETRY_AFTER = 2;

/** A bounded number of processes, started on demand, with a FIFO queue. */
export class ProcessPool extends ComputePool {
  readonly #options: PoolOptions;
  readonly #members = new Set<Member>();
  readonly #waiting: Waiting[] = [];
  #closed = false;

  constructor(options: PoolOptions) {
    super();
    this.#options = options;
  }

  override run(task: ComputeTask): Promise<ComputeResult> {
    if (this.#closed) return Promise.reject(stopping());
    const member = this.#free();
    if (member) return this.#assign(member, task);
    if (this.#waiting.length >= this.#options.queue) return Promise.reject(busy());
    return new Promise((resolve, reject) => this.#waiting.push({ task, resolve, reject }));
  }

  override forget(tenantId: string, sessionId: string): void {
    for (const { process } of this.#members) process.forget(tenantId, sessionId);
  }

  /** Kills every process; running and waiting tasks are rejected. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(stopping());
    for (const { process } of this.#members) process.kill(stopping());
  }

  #free(): Member | null {
    for (const member of this.#members) if (member.idle) return member;
    return this.#members.size < this.#options.processes ? this.#start() : null;
  }

  #start(): Member {
    const process = new PoolProcess(this.#options, () => {
      if (member.idle) clearTimeout(member.idle);
      this.#members.delete(member);
    });
    const member: Member = { process, idle: null };
    this.#members.add(member);
    return member;
  }

  async #assign(member: Member, task: ComputeTask): Promise<ComputeResult> {
    if (member.idle) clearTimeout(member.idle);
    member.idle = null;
    try {
      return await member.process.compute(task);
    } finally {
      if (this.#members.has(member)) this.#startIdleTimer(member);
      this.#assignNext();
    }
  }

  #startIdleTimer(member: Member): void {
    member.idle = setTimeout(() => {
      this.#members.delete(member);
      member.process.kill(stopping());
    }, this.#options.idleMs).unref();
  }

  #assignNext(): void {
    const member = this.#waiting.length > 0 && !this.#closed ? this.#free() : null;
    const next = member ? this.#waiting.shift() : undefined;
    if (member && next) next.resolve(this.#assign(member, next.task));
  }
}

const busy = (): DomainError =>
  new DomainError('unavailable', 'Too many large requests are in progress; retry after the indicated time.', [], { retryAfter: RETRY_AFTER });

const stopping = (): DomainError =>
  new DomainError('unavailable', 'The server is shutting down; retry after the indicated time.', [], { retryAfter: RETRY_AFTER });
