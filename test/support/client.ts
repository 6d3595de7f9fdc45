import { randomUUID } from 'node:crypto';
import { EventReader, type StreamedEvent } from './event-reader.js';

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

/** A client of the HTTP API. */
export class Client {
  constructor(
    readonly baseUrl: string,
    readonly token: string | null,
    private readonly checks: ResponseChecks | null = null,
  ) {}

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
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    const answer = { status: response.status, headers: response.headers, body: (text === '' ? undefined : isJson ? JSON.parse(text) : text) as T };
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
    return expectStatus(await this.post('/v1/sessions', settings), 201).body.id;
  }

  prompt(sessionId: string, input: unknown, more: object = {}): Promise<Answer<UnknownObject>> {
    return this.post(`/v1/sessions/${sessionId}/prompts`, { input, ...more });
  }

  /** Sends a prompt and waits for the end of its turn. */
  async ask(sessionId: string, input: unknown, more: object = {}): Promise<UnknownObject> {
    const { body } = expectStatus(await this.prompt(sessionId, input, more), 202);
    return this.settled(sessionId, body.turnId);
  }

  async settled(sessionId: string, turnId: string): Promise<UnknownObject> {
    for (;;) {
      const { body } = expectStatus(await this.get(`/v1/sessions/${sessionId}/turns/${turnId}?wait=20`), 200);
      if (body.endedAt !== null || body.status === 'waiting') return body;
    }
  }

  async messages(sessionId: string, query = 'view=full'): Promise<readonly UnknownObject[]> {
    return expectStatus(await this.get(`/v1/sessions/${sessionId}/messages?${query}`), 200).body.data;
  }

  /** Every event of the session's log. */
  async events(sessionId: string): Promise<readonly UnknownObject[]> {
    const found: UnknownObject[] = [];
    for (let after = 0; ;) {
      const { body } = expectStatus(await this.get(`/v1/sessions/${sessionId}/events?after=${after}&limit=500`), 200);
      found.push(...body.data);
      if (body.nextCursor === null || body.data.length === 0) return found;
      after = Number(body.nextCursor);
    }
  }

  stream(sessionId: string, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<EventReader> {
    return EventReader.open(
      `${this.baseUrl}/v1/sessions/${sessionId}/events/stream${query}`,
      { authorization: `Bearer ${this.token}`, ...headers },
      this.checks?.event,
    );
  }

  as(token: string | null): Client {
    return new Client(this.baseUrl, token, this.checks);
  }
}

export function expectStatus<T>(answer: Answer<T>, status: number): Answer<T> {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

export const freshKey = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });

export type { StreamedEvent };
