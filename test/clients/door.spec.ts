import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { UnknownObject } from '../support/client.js';
import { describeWith } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';
import { until } from '../support/until.js';
import { ClientProgram, STOCK_CLIENTS } from './client-program.js';
import { judged } from './judged.js';
import { type RecordingProxy, type Seen, startRecordingProxy } from './recording-proxy.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a client throws, or how it continues. */
interface Habits {
  readonly runner?: true;
}

const CLIENTS: Readonly<Record<string, Habits>> = {
  'anthropic-sdk': { runner: true },
  'ai-sdk': {},
  langchain: {},
};

describeWith(STOCK_CLIENTS)('stock clients at the Anthropic door', () => {
  let api: StandIn;
  let server: TestServer;
  let proxy: RecordingProxy;

  beforeAll(async () => {
    api = await startStandIn({ apiKey: 'upstream-key' });
    server = await startTestServer({ ANTHROPIC_API_KEY: 'upstream-key', ANTHROPIC_BASE_URL: api.url });
    proxy = await startRecordingProxy(() => server.running.url);
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
    await api.close();
  });

  describe.each(Object.entries(CLIENTS))('%s', (name, { runner }) => {
    let program: ClientProgram;
    let sent = 0;
    let received = 0;

    beforeAll(() => {
      program = new ClientProgram(name, { BASE_URL: `${proxy.url}/anthropic`, API_KEY: server.client.token! });
    });
    afterAll(() => program.stop());
    afterEach(() => expect(judged(api.received.slice(received))).toEqual([]));
    const mark = (): void => {
      sent = proxy.seen.length;
      received = api.received.length;
    };
    /** The requests since the mark, after it is shown that the model API got the bytes that the client has sent. */
    const forwarded = (): readonly Seen[] => {
      const seen = proxy.seen.slice(sent);
      expect(api.received.slice(received).map(({ body }) => sha256(body))).toEqual(seen.map((one) => one.sha256));
      expect(seen.length).toBeGreaterThan(0);
      return seen;
    };
    const onlySession = (seen: readonly Seen[]): string => {
      const sessions = new Set(seen.map(({ session }) => session));
      expect(sessions.size).toBe(1);
      return [...sessions][0]!;
    };
    const roles = async (session: string): Promise<readonly string[]> => (await server.client.messages(session)).map(({ type }) => type as string);
    const run = async (scenario: string, argument: unknown) => {
      mark();
      return program.run(scenario, argument);
    };

    afterEach(() => expect(proxy.elsewhere).toEqual([]));

    it('streams a conversation of three turns into one session', async () => {
      const prompts = ['one', 'zwei 🧵', 'three'].map((word) => `${name} {{say ${word}}}`);
      expect(await run('turns', prompts)).toEqual({ result: ['one', 'zwei 🧵', 'three'] });
      const seen = forwarded();
      const session = onlySession(seen);
      expect(seen.length).toBe(3);
      expect(await roles(session)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
      const { data } = (await server.client.get('/v1/sessions?limit=100')).body;
      expect(data.filter(({ id }: { id: string }) => id === session).length).toBe(1);
      expect((await server.client.get(`/v1/sessions/${session}/branches`)).body.data.length).toBe(1);
      expect((await server.client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
    });

    it('runs a tool', async () => {
      expect(await run('tool', `${name} adds {{tool add {"a":2,"b":40}}}`)).toEqual({ result: expect.stringContaining('42') });
      const session = onlySession(forwarded());
      expect(await roles(session)).toEqual(['user', 'assistant', 'user', 'assistant']);
    });

    if (runner)
      describe('with message threads', () => {
        /** How each request since the mark was part of a thread, after it is shown that the model API got whole conversations. */
        const threads = async (): Promise<readonly string[]> => {
          const bodies = api.received.slice(received).map(({ body }) => JSON.parse(body) as UnknownObject);
          for (const [index, { messages, thread }] of bodies.entries()) expect([messages.length, thread]).toEqual([2 * index + 1, undefined]);
          const session = onlySession(proxy.seen.slice(sent));
          const { data } = (await server.client.get(`/v1/sessions/${session}/requests`)).body;
          const views = await Promise.all(
            data.map(async ({ requestId }: UnknownObject) => (await server.client.get(`/v1/sessions/${session}/requests/${requestId}`)).body),
          );
          return views.map(({ thread }: UnknownObject) => thread.type);
        };

        it('runs a tool in its own loop', async () => {
          expect(await run('runner', `${name} runs {{tool add {"a":2,"b":41}}}`)).toEqual({ result: expect.stringContaining('43') });
          expect(await threads()).toEqual(['create', 'continue']);
        });

        it('sends only what is new of a conversation', async () => {
          const prompts = ['one', 'two', 'three'].map((word) => `${name} threads {{say ${word}}}`);
          expect(await run('thread', prompts)).toEqual({ result: ['one', 'two', 'three'] });
          expect(await threads()).toEqual(['create', 'continue', 'continue']);
        });
      });

    it('sees a refusal as the model API wrote it', async () => {
      const { error } = await run('turns', [`${name} is refused {{fail 400}}`]);
      expect(error).toMatchObject({ status: 400, message: expect.stringContaining('failure with status 400') });
      expect(forwarded().map(({ status }) => status)).toEqual([400]);
    });

    it('tries again by itself after a 529, and that is one turn', async () => {
      expect(await run('turns', [`${name} is overloaded {{fail 529}}{{say later}}`])).toEqual({ result: ['later'] });
      const seen = forwarded();
      expect(seen.map(({ status }) => status)).toEqual([529, 200]);
      expect(await roles(onlySession(seen))).toEqual(['user', 'assistant']);
    });

    it('leaves in the middle, and what came is recorded', async () => {
      const { error } = await run('abort', `${name} leaves {{slow 50}}{{long 400}}`);
      expect(error?.name).toMatch(/Abort/);
      const session = onlySession(forwarded());
      await until('what came is recorded', async () => (await roles(session)).length === 2);
    });

    it('learns of a stream that is cut, and what came is recorded', async () => {
      api.next({ kind: 'cut', after: 5 });
      const outcome = await run('turns', [`${name} is cut {{say one two three four five}}`]);
      const seen = forwarded();
      expect(outcome.error !== undefined || seen.length > 1).toBe(true);
      await until('what came is recorded', async () => (await roles(seen[0]!.session!)).length === 2);
    });
  });
});
