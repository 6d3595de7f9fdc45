import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../support/random.js';
import type { Answer, UnknownObject } from '../../support/client.js';
import type { Deployment } from './deployment.js';

/** Longer than any outage. */
const TIMEOUT_MS = 90_000;

/** Repeats a request at any api, with one idempotency key, until it has a final response. A 500 is a defect of the server. */
export class Patient {
  constructor(
    readonly deployment: Deployment,
    private readonly chance: Chance,
  ) {}

  get(path: string): Promise<Answer<UnknownObject>> {
    return this.#repeat('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<Answer<UnknownObject>> {
    return this.#repeat('POST', path, body);
  }

  delete(path: string): Promise<Answer<UnknownObject>> {
    return this.#repeat('DELETE', path);
  }

  async #repeat(method: string, path: string, body?: unknown): Promise<Answer<UnknownObject>> {
    const headers: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    let last = 'nothing was answered';
    for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline;) {
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
