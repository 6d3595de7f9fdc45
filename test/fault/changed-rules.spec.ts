import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Verification from '../../packages/proofs/verification/verify-log.js';
import { NodeCryptography } from '../../src/platform/system/node-cryptography.js';
import type { Client, UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';
import { type BuildChange, changedBuild, OTHER_PASSES, OTHER_RULES, WRONG_DIGEST, WRONG_KEEP } from './support/builds.js';

const TOOLS = [{ name: 'lookup', input_schema: { type: 'object' } }];

let database: TestDatabase;
let token: string;
let directory: string;
let other: string;
let otherPasses: string;
const running = new Set<ServerProcess>();

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'verbatim-rules-'));
  other = await changedBuild(path.join(directory, 'rules'), OTHER_RULES);
  otherPasses = await changedBuild(path.join(directory, 'passes'), OTHER_PASSES);
  database = await freshDatabase();
  token = await makeTenant(database.appUrl, 'rules');
});
afterEach(async () => {
  await Promise.all([...running].map((server) => server.kill()));
  running.clear();
});
afterAll(async () => {
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

async function start(main?: string): Promise<Client> {
  const server = await ServerProcess.start({ DATABASE_URL: database.ownerUrl, LOG_LEVEL: 'warn' }, () => undefined, main);
  running.add(server);
  return server.client(token);
}

async function stop(): Promise<void> {
  for (const server of running) expect(await server.stop()).toBe(0);
  running.clear();
}

/** Turns with a call that fails, and with an attachment. */
async function used(client: Client): Promise<string> {
  const id = await client.session({ system: 'Be brief.', tools: TOOLS, context: { place: 'Berlin' } });
  const waiting = await client.ask(id, '{{tool lookup {"q": 1.0}}} please');
  const results = [{ toolUseId: waiting.toolCalls[0].toolUseId, content: '', isError: true }];
  expect((await client.post(`/v1/sessions/${id}/tool-results`, { results })).status).toBe(202);
  expect(await client.settled(id, waiting.turnId)).toMatchObject({ status: 'completed' });
  await client.ask(id, 'second question', { attachments: [{ type: 'selected_lines_in_ide', filename: 'a', content: 'chosen lines' }] });
  await client.ask(id, 'third question');
  return id;
}

async function requestsOf(client: Client, id: string): Promise<readonly UnknownObject[]> {
  const { data } = (await client.get(`/v1/sessions/${id}/requests`)).body;
  const views: UnknownObject[] = [];
  for (const { requestId } of data) {
    const answer = await fetch(`${client.baseUrl}/v1/sessions/${id}/requests/${requestId}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    views.push({ ...(JSON.parse(text) as UnknownObject), sent: text.slice('{"payload":'.length, text.indexOf(',"requestId":')) });
  }
  return views;
}

/** What must not depend on the build that is asked; `sent` is the body as text. */
const factsOf = (views: readonly UnknownObject[]): readonly unknown[] =>
  views.map(({ requestId, sent, digest, recordedDigest, verified, trace, original, fault, changedOptions }) => ({
    ...{ requestId, sent, digest, recordedDigest, verified, trace, original, fault, changedOptions },
  }));

describe('a build with other rules', () => {
  it('shows and proves the requests of an earlier build as they were sent, and its own the other way round', async () => {
    const first = await start();
    const id = await used(first);
    const before = await requestsOf(first, id);
    expect(before.length).toBeGreaterThan(3);
    expect(before.map(({ verified }) => verified)).toEqual(before.map(() => true));
    expect(before.map(({ sent }) => createHash('sha256').update(String(sent)).digest('hex'))).toEqual(before.map(({ recordedDigest }) => recordedDigest));
    const planned = (await first.get(`/v1/sessions/${id}/payload`)).body;
    let exported: readonly string[] = [];
    await until('the export is proven', async () => {
      exported = String((await first.get(`/v1/sessions/${id}/export?format=log`)).body)
        .trimEnd()
        .split('\n');
      return (await verified(exported, undefined)).startsWith('proven');
    });
    await stop();

    const second = await start(other);
    // The other rules do apply.
    expect((await second.get(`/v1/sessions/${id}/payload`)).body.digest).not.toBe(planned.digest);
    expect(factsOf(await requestsOf(second, id))).toEqual(factsOf(before));
    expect(await verified(exported, other)).toBe(await verified(exported, undefined));
    expect(await second.ask(id, 'fourth question')).toMatchObject({ status: 'completed' });
    const after = await requestsOf(second, id);
    expect(factsOf(after).slice(0, before.length)).toEqual(factsOf(before));
    expect(after.at(-1)).toMatchObject({ verified: true, payload: { max_tokens: 777 } });
    await stop();

    const third = await start();
    expect(factsOf(await requestsOf(third, id))).toEqual(factsOf(after));
    expect(await third.ask(id, 'fifth question')).toMatchObject({ status: 'completed' });
    expect((await requestsOf(third, id)).every((view) => view['verified'] === true)).toBe(true);
    expect((await third.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  });
});

describe('a build with other passes', () => {
  it('continues every conversation as it was sent, applies its rules to what is new, and shows what it would make of the whole', async () => {
    const first = await start();
    const [id, waiting, failing] = [
      await used(first),
      await first.session({ system: 'Be brief.', tools: TOOLS, context: { place: 'Berlin' } }),
      await used(first),
    ];
    const call = await first.ask(waiting, '{{tool lookup {"q": 1.0}}} please');
    const [refused, failed] = [await used(first), await used(first)];
    expect(await first.ask(refused, 'fourth question {{fail 400}}')).toMatchObject({ status: 'failed' });
    expect(await first.ask(failed, 'fourth question {{fail 401}}')).toMatchObject({ status: 'failed' });
    const planned = (await first.get(`/v1/sessions/${id}/payload`)).body.digest;
    await stop();

    const second = await start(otherPasses);
    for (const session of [refused, failed]) expectTraced((await second.get(`/v1/sessions/${session}/payload`)).body);
    const shown = (await second.get(`/v1/sessions/${id}/payload`)).body;
    expect(shown.breaks).toEqual([]);
    expect((await second.get(`/v1/sessions/${id}/payload?fresh=true`)).body).toMatchObject({ version: shown.version, breaks: [{ message: 0 }] });
    expect(shown.digest).not.toBe(planned);
    for (const text of ['fourth question', 'fifth question']) {
      expect(await second.ask(id, text, { attachments: [{ type: 'selected_lines_in_ide', filename: 'a', content: 'chosen lines' }] })).toMatchObject({
        status: 'completed',
      });
    }
    const results = [{ toolUseId: call.toolCalls[0].toolUseId, content: '', isError: true }];
    expect((await second.post(`/v1/sessions/${waiting}/tool-results`, { results })).status).toBe(202);
    expect(await second.settled(waiting, call.turnId)).toMatchObject({ status: 'completed' });
    for (const session of [id, waiting]) {
      const requests = await requestsOf(second, session);
      expect(requests.map(({ verified, prefix }) => [verified, prefix])).toEqual(requests.map(() => [true, { shared: expect.any(Number) }]));
      expect(requests.at(-1)).toMatchObject({ payload: { max_tokens: 777 } });
      expectExtends(requests);
      expect(JSON.stringify(requests.at(-1)!['payload'])).toContain('<system-reminder>');
      expect(JSON.stringify(requests.at(-1)!['payload'])).toContain(session === id ? '<note>' : '(it failed)');
    }
    // A request that was refused may have been so for the rules that it was made by. Of one that failed, only the last turn grows.
    for (const session of [refused, failed]) {
      expectTraced((await second.get(`/v1/sessions/${session}/payload`)).body);
      // The prompt that made the turn fail is part of the last one still.
      expect(await second.ask(session, 'fifth question')).toMatchObject({ status: 'failed' });
    }
    const madeAgain = (await requestsOf(second, refused)).at(-1)!;
    expect(madeAgain).toMatchObject({ verified: true });
    expect(JSON.stringify(madeAgain['payload'])).not.toContain('<system-reminder>');
    const grown = await requestsOf(second, failed);
    expect(grown.every((view) => view['verified'] === true)).toBe(true);
    expectExtends(grown, 1);
    expect(JSON.stringify(grown.at(-1)!['payload'])).toContain('<system-reminder>');
    await stop();

    // Another process of it, and the build of before: each continues what the other has sent.
    const third = await start(otherPasses);
    expect(await third.ask(id, 'sixth question')).toMatchObject({ status: 'completed' });
    await stop();
    const fourth = await start();
    expect(await fourth.ask(id, 'seventh question')).toMatchObject({ status: 'completed' });
    expect(await fourth.ask(failing, 'fourth question')).toMatchObject({ status: 'completed' });
    const requests = await requestsOf(fourth, id);
    expect(requests.every(({ verified }) => verified === true)).toBe(true);
    expectExtends(requests);
    expect((await fourth.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  });
});

describe('a build that records requests wrongly', () => {
  /** Of three requests, of which a correct build has made the third: what is wrong with each. */
  it.each<readonly [string, BuildChange, readonly (RegExp | null)[]]>([
    ['another digest', WRONG_DIGEST, [/^its digest is \w{64}; \w{64} was sent$/, /^its digest is/, null]],
    [
      'messages that the request before does not have, of which those that continue it are made, too',
      WRONG_KEEP,
      [null, /cannot be rebuilt: item \d+ of a list is said to be that of an earlier request/, /cannot be rebuilt/],
    ],
  ])('is found by the audit of the requests, by request and event, and by who reads them: %s', async (_, change, expected) => {
    const first = await start(await changedBuild(path.join(directory, path.basename(change[0])), [change]));
    const id = await first.session();
    for (const text of ['first question', 'second question']) expect(await first.ask(id, text)).toMatchObject({ status: 'completed' });
    await stop();

    const second = await start();
    expect(await second.ask(id, 'third question')).toMatchObject({ status: 'completed' });
    const sent = (await second.events(id)).filter(({ type }) => type === 'request.sent').map(({ seq, data }) => ({ requestId: data.requestId, seq }));
    const audit = async (query: string): Promise<UnknownObject> => (await second.get(`/v1/sessions/${id}/audit${query}`)).body;
    const plain = await audit('');
    expect(plain).toMatchObject({ valid: true });
    expect(plain).not.toHaveProperty('requests');
    const [, , last] = expected;
    expect(await audit('?requests=1')).toMatchObject({ valid: last === null, requests: { checked: 1, erased: 0 } });
    const invalid = sent.map((of, index) => (expected[index] ? [{ ...of, problem: expect.stringMatching(expected[index]) }] : [])).flat();
    expect(await audit('?requests=3')).toMatchObject({ valid: false, finding: 'request', requests: { checked: 3, erased: 0, invalid: invalid.toReversed() } });
    expect((await requestsOf(second, id)).map(({ verified }) => verified)).toEqual(expected.map((problem) => problem === null));
    expect(await second.get(`/v1/sessions/${id}/audit?requests=101`)).toMatchObject({ status: 400 });
  });
});

/** Each block of a payload is named, nothing else is, and nothing is said twice. */
function expectTraced(view: UnknownObject): void {
  const { messages } = view['payload'] as { readonly messages: readonly { readonly content: readonly unknown[] }[] };
  const trace = view['trace'] as readonly {
    readonly source: UnknownObject | null;
    readonly target: { readonly message: number; readonly block: number } | null;
  }[];
  expect(trace.length).toBe(new Set(trace.map((entry) => JSON.stringify(entry))).size);
  const named = new Set(trace.flatMap(({ target }) => (target ? [`${target.message}/${target.block}`] : [])));
  expect([...named].sort()).toEqual(messages.flatMap(({ content }, message) => content.map((_, block) => `${message}/${block}`)).sort());
}

/** The messages of each request begin with those of the request before it, but for so many of its last ones, cache markers aside. */
function expectExtends(requests: readonly UnknownObject[], last = 0): void {
  const messages = requests.map(({ payload }) =>
    (payload as { readonly messages: readonly object[] }).messages.map((message) => JSON.stringify(message).replace(/,"cache_control":\{[^}]*\}/g, '')),
  );
  messages.slice(1).forEach((later, index) => {
    const earlier = messages[index]!;
    const kept = earlier.length - last;
    expect(later.slice(0, kept)).toEqual(earlier.slice(0, kept));
  });
}

/** What the verifier of a build says of an export. */
async function verified(lines: readonly string[], main: string | undefined): Promise<string> {
  const at =
    main === undefined
      ? new URL('../../packages/proofs/verification/verify-log.js', import.meta.url)
      : pathToFileURL(path.join(path.dirname(main), '../packages/proofs/verification/verify-log.js'));
  const { verifyLog } = (await import(at.href)) as typeof Verification;
  const { isProven, text } = await verifyLog(lines, null, new NodeCryptography());
  return `${isProven ? 'proven' : 'not proven'}: ${text} ${createHash('sha256').update(lines.join()).digest('hex')}`;
}
