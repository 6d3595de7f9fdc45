import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../support/random.js';
import type { Answer, UnknownObject } from '../../support/client.js';
import type { Deployment } from './deployment.js';

/** Longer than anything may be away. */
const PATIENCE_MS = 90_000;

/** Asks on and on, of whichever api is there, under one idempotency key, until it has a definite answer. An answer of 500 is nobody's fault but ours. */
export class Patient {
  constructor(
    readonly deployment: Deployment,
    private readonly chance: Chance,
  ) {}

  get(path: string): Promise<Answer<UnknownObject>> {
    return this.#ask('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<Answer<UnknownObject>> {
    return this.#ask('POST', path, body);
  }

  delete(path: string): Promise<Answer<UnknownObject>> {
    return this.#ask('DELETE', path);
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Answer<UnknownObject>> {
    const headers: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    let last = 'nothing was answered';
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline;) {
      const client = await this.deployment.api(this.chance);
      try {
        const answer = await client.call(method, path, body, headers);
        last = `${answer.status} ${JSON.stringify(answer.body)}`;
        if (answer.status === 500) throw new Defect(`${method} ${path} answered ${last}`);
        if (answer.status !== 503 && answer.body?.code !== 'version_conflict') return answer;
      } catch (error) {
        if (error instanceof Defect) throw error;
        last = String(error); // killed, or not there yet
      }
      await pause(this.chance.between(10, 60));
    }
    throw new Defect(`${method} ${path} found no answer; the last was: ${last}`);
  }
}

class Defect extends Error {}
