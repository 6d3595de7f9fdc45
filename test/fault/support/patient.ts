import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Chance } from '../../support/random.js';
import type { Answer, Client, UnknownObject } from '../../support/client.js';
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
        const answer = await this.#send(client, method, path, body, headers);
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

  /** Sends the request, and sometimes a copy of it to any api: both may succeed, with one effect and one response. */
  async #send(client: Client, method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Answer<UnknownObject>> {
    const send = (to: Client) => to.call<UnknownObject>(method, path, body, headers);
    if (method === 'GET' || !this.deployment.copies.take()) return send(client);
    const copy = this.deployment.api(this.chance).then(send);
    const [first, second] = await Promise.allSettled([send(client), copy]);
    if (first.status === 'rejected') throw first.reason;
    if (second.status === 'rejected') return first.value;
    if (isSuccess(first.value) && isSuccess(second.value) && !isDeepStrictEqual(first.value.body, second.value.body))
      throw new Defect(`${method} ${path} answered ${JSON.stringify(first.value.body)}, and its copy ${JSON.stringify(second.value.body)}`);
    // A command that is rejected leaves no receipt: of two copies, one may come while another turn runs, and the other after its end.
    if (second.value.status === 500 || (isSuccess(second.value) && first.value.status === 409)) return second.value;
    return first.value;
  }
}

const isSuccess = ({ status }: Answer<unknown>): boolean => status >= 200 && status < 300;

class Defect extends Error {}
