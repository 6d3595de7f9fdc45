import { randomUUID } from 'node:crypto';
import { type Client as TypedClient, createClient, paginate } from '@verbatim/client';
import { EventReader, type StreamedEvent } from './event-reader.js';
import { until } from './until.js';

/** An answer: status, headers, and the JSON in it (undefined without a body). */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/* Shapes differ by route; specs say what they expect of each. */
// oxlint-disable-next-line typescript/no-explicit-any
export type UnknownObject = any;

/** Compares what a server sends with its documentation; throws on a difference. */
export interface ResponseChecks {
  readonly response: (method: string, path: string, answer: Answer<unknown>) => void;
  readonly event: (event: StreamedEvent) => void;
}

/**
 * A client of the HTTP API. What succeeds goes through `api`, the client that applications use; `call` is for requests that it would not send, and for errors.
 */
export class Client {
  readonly api: TypedClient;

  constructor(
    readonly baseUrl: string,
    readonly token: string | null,
    private readonly checks: ResponseChecks | null = null,
  ) {
    this.api = createClient({ baseUrl, ...(token === null ? {} : { token }), retries: 0, fetch: (input, init) => this.#fetch(input as string, init) });
  }

  /** Checks the JSON of responses, as `call` does. */
  async #fetch(url: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    if (this.checks && isJson(response)) {
      const { status, headers } = response;
      this.checks.response(init?.method ?? 'GET', url.slice(this.baseUrl.length), { status, headers, body: await response.clone().json() });
    }
    return response;
  }

  async call<T = UnknownObject>(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer<T>> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, body: (text === '' ? undefined : isJson(response) ? JSON.parse(text) : text) as T };
    this.checks?.response(method, path, answer);
    return answer;
  }

  get<T = UnknownObject>(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer<T>> {
    return this.call('GET', path, undefined, headers);
  }

  post<T = UnknownObject>(path: string, body: unknown = {}, headers?: Readonly<Record<string, string>>): Promise<Answer<T>> {
    return this.call('POST', path, body, headers);
  }

  /** The id of a new session. */
  async session(settings: object = {}): Promise<string> {
    return (await this.api.createSession({ body: settings })).id;
  }

  prompt(sessionId: string, input: unknown, more: object = {}): Promise<Answer<UnknownObject>> {
    return this.post(`/v1/sessions/${sessionId}/prompts`, { input, ...more });
  }

  /** Sends a prompt and waits for the end of its turn. */
  async ask(sessionId: string, input: unknown, more: object = {}): Promise<UnknownObject> {
    const body = { input: input as string, ...more };
    const { turnId } = await this.api.submitPrompt({ id: sessionId, body });
    return this.settled(sessionId, turnId!);
  }

  async settled(sessionId: string, turnId: string): Promise<UnknownObject> {
    for (;;) {
      const turn = await this.api.getTurn({ id: sessionId, turnId, wait: 20 });
      if (turn.endedAt !== null || turn.status === 'waiting') return turn;
    }
  }

  /**
   * Waits until the turn has asked the model. A turn that is interrupted before that leaves its prompt without an answer, so that the next request
   * sends it together with the next prompt.
   */
  async asking(sessionId: string, turnId: string): Promise<void> {
    await until(`turn ${turnId} asks the model`, async () => (await this.api.getTurn({ id: sessionId, turnId })).requests.length > 0);
  }

  async messages(sessionId: string, query = 'view=full'): Promise<readonly UnknownObject[]> {
    return expectStatus(await this.get(`/v1/sessions/${sessionId}/messages?${query}`), 200).body.data;
  }

  /** Every event of the session's log. */
  async events(sessionId: string): Promise<readonly UnknownObject[]> {
    const found: UnknownObject[] = [];
    for await (const event of paginate(this.api.listEvents, { id: sessionId, limit: 500 })) found.push(event);
    return found;
  }

  /** `silenceMs`: see EventReader. */
  stream(sessionId: string, headers: Readonly<Record<string, string>> = {}, query = '', silenceMs: number | null = null): Promise<EventReader> {
    return EventReader.open(
      `${this.baseUrl}/v1/sessions/${sessionId}/events/stream${query}`,
      { authorization: `Bearer ${this.token}`, ...headers },
      this.checks?.event,
      silenceMs,
    );
  }

  /** The stream over all sessions of the caller. */
  streamAll(headers: Readonly<Record<string, string>> = {}, query = ''): Promise<EventReader> {
    return EventReader.open(`${this.baseUrl}/v1/events/stream${query}`, { authorization: `Bearer ${this.token}`, ...headers }, this.checks?.event);
  }

  as(token: string | null): Client {
    return new Client(this.baseUrl, token, this.checks);
  }
}

const isJson = ({ headers }: Response): boolean => /[/+]json\b/.test(headers.get('content-type') ?? '');

export function expectStatus<T>(answer: Answer<T>, status: number): Answer<T> {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

export const freshKey = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });

export type { StreamedEvent };
