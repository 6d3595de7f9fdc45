import { DomainError } from '../../core/errors.js';
import { type ComputeResult, type ComputeTask, ComputePool } from '../../core/ports.js';
import { PoolProcess, type ProcessOptions } from './pool-process.js';

export interface PoolOptions extends ProcessOptions {
  /** Processes at most. */
  readonly processes: number;
  /** Tasks that may wait for one. */
  readonly queue: number;
  /** Milliseconds after which a process without work is ended, which gives its memory back. */
  readonly idleMs: number;
}

interface Waiting {
  readonly task: ComputeTask;
  readonly resolve: (answer: Promise<ComputeResult>) => void;
  readonly reject: (error: DomainError) => void;
}

interface Member {
  readonly process: PoolProcess;
  /** Runs out when it has had no work for long; null while it works. */
  idle: NodeJS.Timeout | null;
}

/** What to wait before asking again, in seconds. */
const RETRY_AFTER = 2;

/** A few processes, started when there is work, and what waits for them, first come, first served. */
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
    if (member) return this.#work(member, task);
    if (this.#waiting.length >= this.#options.queue) return Promise.reject(busy());
    return new Promise((resolve, reject) => this.#waiting.push({ task, resolve, reject }));
  }

  /** Ends every process at once; what was running or waiting is refused. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(stopping());
    for (const { process } of this.#members) process.end(stopping());
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

  async #work(member: Member, task: ComputeTask): Promise<ComputeResult> {
    if (member.idle) clearTimeout(member.idle);
    member.idle = null;
    try {
      return await member.process.run(task);
    } finally {
      if (this.#members.has(member)) this.#rest(member);
      this.#next();
    }
  }

  #rest(member: Member): void {
    member.idle = setTimeout(() => {
      this.#members.delete(member);
      member.process.end(stopping());
    }, this.#options.idleMs).unref();
  }

  #next(): void {
    const member = this.#waiting.length > 0 && !this.#closed ? this.#free() : null;
    const next = member ? this.#waiting.shift() : undefined;
    if (member && next) next.resolve(this.#work(member, next.task));
  }
}

const busy = (): DomainError =>
  new DomainError('unavailable', 'Too many large questions are being worked on; ask again in a moment.', [], { retryAfter: RETRY_AFTER });

const stopping = (): DomainError => new DomainError('unavailable', 'The server is stopping; ask again in a moment.', [], { retryAfter: RETRY_AFTER });
