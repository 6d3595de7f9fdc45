import type { Incidents } from './incidents.js';
import type { Random } from './random.js';
import type { Scheduler } from './scheduler.js';

/** How long a call to a service waits for an answer that never comes. */
export const TIMEOUT_MS = 3_000;

/** One half of a call to a service. */
export interface ScriptedCall {
  readonly process: string;
  readonly what: 'request' | 'answer';
  /** The method and its arguments. */
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The next look at the log recovers a lost hint. */
const HINT_MS = 3_000;

/** Latency and loss between processes and services. */
export class Network {
  faulty = false;
  /** Messages that are lost whatever chance says. */
  script: ((call: ScriptedCall) => boolean) | null = null;

  constructor(
    private readonly random: Random,
    private readonly scheduler: Scheduler,
    private readonly incidents: Incidents,
  ) {}

  /** Of a message from or to a process: one way, milliseconds. */
  latency(process: string): number {
    if (!this.faulty || !this.random.chance(0.01)) return this.random.next() * 3;
    const milliseconds = this.random.between(100, 2_000);
    this.incidents.note('message', process, this.scheduler.now, this.scheduler.now + milliseconds);
    return milliseconds;
  }

  /** Whether a call loses this message. */
  loses(call: ScriptedCall): boolean {
    if (!this.script?.(call)) return this.#lost('message', call.process, TIMEOUT_MS);
    this.incidents.note('message', call.process, this.scheduler.now, this.scheduler.now + TIMEOUT_MS);
    return true;
  }

  losesHint(to: string): boolean {
    return this.#lost('hint', to, HINT_MS);
  }

  /** Whether a hint arrives twice. */
  doubles(): boolean {
    return this.random.chance(0.004);
  }

  #lost(kind: 'message' | 'hint', process: string, forMs: number): boolean {
    if (!this.faulty || !this.random.chance(0.004)) return false;
    this.incidents.note(kind, process, this.scheduler.now, this.scheduler.now + forMs);
    return true;
  }
}
