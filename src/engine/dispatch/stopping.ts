import { Injectable } from '@nestjs/common';
import type { Step } from '../../session/decide/next-step.js';

/** Steps that ask others for something, and may take long: a model, tools, hooks. */
const ASKING: ReadonlySet<Step['kind']> = new Set<Step['kind']>(['prepare', 'request', 'decide-calls', 'run-calls']);

/**
 * Whether this process is shutting down. What runs then is finished while there is time, so that nothing is asked and paid twice; what would have to be begun is left to
 * another process.
 */
@Injectable()
export class Stopping {
  #begun = false;

  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
  }

  /** Throws when a turn is to be continued by another process. */
  requireTimeFor({ kind }: Step): void {
    if (this.#begun && ASKING.has(kind)) throw new Error('The process is stopping; another one continues the turn');
  }
}
