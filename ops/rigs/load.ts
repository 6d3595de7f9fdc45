import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { UnknownObject } from '../../test/support/client.js';
import type { AcceptedPrompt } from '../../test/support/ledger.js';
import type { Chance } from '../../test/support/random.js';
import { eventually } from './eventually.js';

/** A request without an answer is given up after that time, and sent again. */
const ANSWER_MS = 15_000;

/** Makes what a user sends, a text or blocks. */
export type Input = (chance: Chance, index: number) => unknown;

/** Answers that ask for a repetition. */
const REPEATED: readonly number[] = [429, 502, 503, 504];

/** What a user of one session was told. */
export interface Told {
  readonly sessionId: string;
  readonly prompts: AcceptedPrompt[];
  /** Events that were served, by seq. */
  readonly served: Map<number, string>;
}

/** A part of the run and the longest time in it in which no user got an answer. */
export interface Silence {
  readonly name: string;
  readonly milliseconds: number;
}

/**
 * Users who talk from outside, each in a session of its own: send a prompt with a key until it is acknowledged, wait for the end of its turn, read what is new
 * in the log. Each request goes to any of the servers.
 */
export class Load {
  /** Of all users, also of those who have left. */
  told: Told[] = [];
  readonly silences: Silence[] = [];
  /** Answers that are neither a success nor ask for a repetition. */
  readonly errors: string[] = [];
  retried = 0;
  /** When users have got what they waited for: an acknowledged prompt, a turn that has ended. */
  #answers: number[] = [];
  #isOver = false;
  /** Those who talk now. */
  #talking: Told[] = [];
  #users: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly servers: { readonly urls: readonly string[]; readonly token: string },
    private readonly chance: Chance,
    /** How many talk at a time. */
    private readonly users: number,
    private readonly input: Input = (own, index) => `{{slow ${own.between(1, 5)}}} prompt ${index}`,
  ) {}

  /** Users begin to talk, in new sessions. */
  async start(): Promise<void> {
    this.#isOver = false;
    this.#talking = [];
    const sessions = await Promise.all(Array.from({ length: this.users }, () => this.#until('POST', '/v1/sessions', {}, 201)));
    this.#users = Promise.all(sessions.map((session, index) => this.#user(session!.id, this.chance.apart(`user ${index}`))));
    this.#users.catch(() => undefined); // `stop` reports it
    await this.#answered();
  }

  /** Lets users talk while something happens, and then until each has been answered again. */
  async during(name: string, happens: () => Promise<void>): Promise<void> {
    const from = performance.now();
    await happens();
    await this.#answered();
    const to = performance.now();
    const times = [from, ...this.#answers.filter((time) => time > from), to];
    this.silences.push({ name, milliseconds: Math.max(...times.slice(1).map((time, index) => time - times[index]!)) });
    this.#answers = this.#answers.filter((time) => time > to);
  }

  /** Resolves when every user has had the answers that it waited for. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#users;
  }

  /** Until every user has had a prompt acknowledged that it sent after now: the second one from now. */
  async #answered(): Promise<void> {
    const wanted = this.#talking.map((told) => [told, told.prompts.length + 2] as const);
    await eventually('every user is answered', async () => wanted.every(([{ prompts }, count]) => prompts.length >= count));
  }

  async #user(sessionId: string, chance: Chance): Promise<void> {
    const told: Told = { sessionId, prompts: [], served: new Map() };
    this.told.push(told);
    this.#talking.push(told);
    const path = `/v1/sessions/${sessionId}`;
    while (!this.#isOver) {
      const sentAt = performance.now();
      const accepted = await this.#until('POST', `${path}/prompts`, { input: await this.input(chance, told.prompts.length) }, 202);
      if (accepted === null) continue;
      this.#answers.push(performance.now());
      told.prompts.push({ promptId: accepted.promptId, sentAt, acceptedAt: performance.now() });
      while ((await this.#until('GET', `${path}/turns/${accepted.turnId}?wait=5`))?.endedAt === null);
      this.#answers.push(performance.now());
      await this.#read(told);
      await pause(chance.between(20, 120));
    }
  }

  /** What is new in the log, as it is served now. */
  async #read({ sessionId, served }: Told): Promise<void> {
    const page = await this.#until('GET', `/v1/sessions/${sessionId}/events?limit=500&after=${Math.max(0, ...served.keys())}`);
    for (const event of page?.data ?? []) served.set(event.seq, JSON.stringify(event));
  }

  /** Repeats the request, with one key, until it succeeds. Null: it was refused, which is recorded. */
  async #until(method: string, path: string, body?: unknown, wanted = 200): Promise<UnknownObject> {
    const key = randomUUID();
    for (let attempt = 0; ; attempt += 1) {
      if (attempt > 0) {
        if (method === 'POST') this.retried += 1;
        await pause(this.chance.between(50, 200));
      }
      try {
        const response = await fetch(`${this.chance.of(this.servers.urls)}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${this.servers.token}`,
            'content-type': 'application/json',
            ...(method === 'POST' ? { 'idempotency-key': key } : {}),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(ANSWER_MS),
        });
        const text = await response.text();
        if (response.status === wanted) return JSON.parse(text);
        if (REPEATED.includes(response.status)) continue;
        this.errors.push(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
        return null;
      } catch {
        // No answer, or a broken one: sent again.
      }
    }
  }
}
