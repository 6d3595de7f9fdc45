import { createHash } from 'node:crypto';
import { expect } from 'expect'; // it is also used without Jest, by rigs
import { mapLimited } from '../../src/platform/async/map-limited.js';
import type { Message } from '../../packages/protocol/message/message.js';
import { faultOf, RecordedRequest } from '../../packages/protocol/request/recorded-request.js';
import type { SentBody } from '../../packages/protocol/request/sent-body.js';
import { callsWithoutOneOutcome } from './call-outcomes.js';
import type { Client, UnknownObject } from './client.js';

/** A prompt that was accepted, as its sender knows it. */
export interface AcceptedPrompt {
  readonly promptId: string;
  /** When it was first sent and when its acceptance was heard of, on any clock, as long as it is one. */
  readonly sentAt: number;
  readonly acceptedAt: number;
}

/** What the users of a session were told, to be held against its log. */
export interface Promises {
  readonly prompts: readonly AcceptedPrompt[];
  /** Prompts whose withdrawal was confirmed. */
  readonly withdrawn?: readonly string[];
  /** Texts in tool results that were accepted; each is there once and nowhere else. */
  readonly toolResults?: readonly string[];
  /** Seqs of the stored events that a follower was sent. */
  readonly followed?: readonly number[];
}

const ENDS: readonly string[] = ['turn.completed', 'turn.interrupted', 'turn.failed'];

/**
 * What must be true of a session that has come to rest, whatever died on the way: every accepted prompt has ended exactly once and in order, the log has no
 * gaps and a valid chain, every tool call has one result, every request is rebuilt byte for byte, and the payload of now is one the model takes.
 */
export async function expectLedger(client: Client, sessionId: string, promises: Promises): Promise<void> {
  const events = await client.events(sessionId);
  try {
    expectOrder(events, promises);
    expectMessages(events, promises);
    expect(promises.followed ?? events.map((event) => event.seq)).toEqual(events.map((event) => event.seq));
    await expectProofs(client, sessionId, events);
  } catch (error) {
    (error as Error).message = `session ${sessionId}: ${(error as Error).message}`;
    throw error;
  }
}

/** The same for prompts that were sent one after the other and not withdrawn. */
export function expectNothingLost(client: Client, sessionId: string, prompts: readonly string[]): Promise<void> {
  return expectLedger(client, sessionId, { prompts: prompts.map((promptId, index) => ({ promptId, sentAt: index, acceptedAt: index + 0.5 })) });
}

/** A command of the shell that appends a line to a file has left it once for each call whose end was seen, and at most once for each that was started. */
export async function expectRunsOnce(client: Client, sessionId: string, file: string): Promise<void> {
  const events = await client.events(sessionId);
  const started = of(events, 'tool.started').filter(({ name }) => name === 'Bash');
  if (started.length === 0) return;
  const endings = new Map(of(events, 'tool.completed').map(({ toolUseId, ending }) => [toolUseId, ending]));
  await client.ask(sessionId, `cat ${file} || true`, { mode: 'bash' });
  const lines: readonly string[] = JSON.stringify((await client.messages(sessionId)).at(-1)).match(/\d{4,}/g) ?? [];
  // A prompt that a rewind leaves at the end is read again with the next one, so the model may ask for the same line in two calls.
  for (const line of new Set(started.map(({ input }) => /echo (\d+)/.exec(input.command)![1]!))) {
    const calls = started.filter(({ input }) => input.command.includes(`echo ${line} `));
    const finished = calls.filter(({ toolUseId }) => endings.get(toolUseId) === 'finished');
    const times = lines.filter((other) => other === line).length;
    expect(times).toBeGreaterThanOrEqual(finished.length);
    expect(times).toBeLessThanOrEqual(calls.length);
  }
}

function of(events: readonly UnknownObject[], ...types: readonly string[]): readonly UnknownObject[] {
  return events.filter((event) => types.includes(event.type)).map((event) => event.data);
}

function expectOrder(events: readonly UnknownObject[], { prompts, withdrawn = [] }: Promises): void {
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const accepted = of(events, 'prompt.submitted').map((data) => data.submission.promptId);
  const known = new Map(prompts.map((prompt) => [prompt.promptId, prompt]));
  expect(accepted.toSorted()).toEqual([...known.keys()].toSorted());
  // A client that got the answer for one before sending the next sees them in this order.
  let latest = -Infinity;
  for (const promptId of accepted) {
    const { sentAt, acceptedAt } = known.get(promptId)!;
    expect(acceptedAt).toBeGreaterThanOrEqual(latest);
    latest = Math.max(latest, sentAt);
  }
  const gone = of(events, 'prompt.withdrawn').map((data) => data.promptId);
  expect(new Set(gone).size).toBe(gone.length);
  expect(gone).toEqual(expect.arrayContaining([...withdrawn]));
  const answered = of(events, 'prompt.submitted')
    .filter((data) => data.disposition === 'answered')
    .map((data) => data.submission.promptId);
  const left = new Set([...gone, ...answered]);
  const started = of(events, 'turn.started');
  expect(started.map((data) => data.promptId)).toEqual(accepted.filter((promptId) => !left.has(promptId)));
  expect(of(events, ...ENDS).map((data) => data.turnId)).toEqual(started.map((data) => data.turnId));
}

function expectMessages(events: readonly UnknownObject[], { toolResults = [] }: Promises): void {
  const messages = of(events, 'message.appended').map((data) => data.message);
  const uuids = messages.map((message) => message.uuid);
  expect(new Set(uuids).size).toBe(uuids.length);
  const started = new Set(of(events, 'turn.started').map((data) => data.promptId));
  // A compaction is a turn without its own message.
  const prompts = of(events, 'prompt.submitted')
    .filter(({ submission }) => submission.mode !== 'compact' && started.has(submission.promptId))
    .map(({ submission }) => submission.uuid);
  expect(uuids.filter((uuid) => prompts.includes(uuid)).toSorted()).toEqual(prompts.toSorted());

  const blocks = (type: 'user' | 'assistant', kind: string): readonly UnknownObject[] =>
    messages
      .filter((message) => message.type === type && !message.isVirtual)
      .flatMap((message) => (type === 'user' ? message.content : message.message.content))
      .filter((block) => block?.type === kind);
  const results = blocks('user', 'tool_result');
  expect(results.map((block) => block.tool_use_id).toSorted()).toEqual(
    blocks('assistant', 'tool_use')
      .map((block) => block.id)
      .toSorted(),
  );
  const said = results.map((block) => block.content);
  for (const text of toolResults) expect(said.filter((other) => other === text)).toHaveLength(1);

  const requests = of(events, 'request.sent').map((data) => data.requestId);
  expect(callsWithoutOneOutcome(events as never)).toEqual([]);
  const settled = of(events, 'request.completed', 'request.failed').map((data) => data.requestId);
  expect(settled.toSorted()).toEqual(requests.toSorted());
}

const AT_ONCE = 8;

/** Rebuilds the requests of a session, byte for byte, in one pass over its events. Returns those that have something that is not in them, such as a file or a message of a parent. */
function notIn(events: readonly UnknownObject[]): ReadonlySet<string> {
  const messages = new Map<string, Message>(of(events, 'message.appended').map(({ message }) => [message.uuid, message]));
  const sent = of(events, 'request.sent');
  const bodies = new Map<string, SentBody | null>(sent.map(({ requestId, body }) => [requestId, body]));
  const [left, others] = [new Set<string>(), [] as string[]];
  for (const { requestId, digest } of sent) {
    try {
      const request = new RecordedRequest(requestId, { body: (id) => bodies.get(id), message: (uuid) => messages.get(uuid) });
      const text = request.body(() => undefined);
      if (createHash('sha256').update(text).digest('hex') !== digest) others.push(requestId);
    } catch (error) {
      if (faultOf(error) === null) throw error;
      left.add(requestId);
    }
  }
  expect(others).toEqual([]);
  return left;
}

/** The server reads the log up to a request to rebuild it. Of a session with more requests, it rebuilds so many: each of these here, and as many of the newest in an audit. */
const ASKED = 100;

async function expectProofs(client: Client, sessionId: string, events: readonly UnknownObject[]): Promise<void> {
  const all = (await client.get(`/v1/sessions/${sessionId}/requests`)).body.data;
  const audit = (await client.get(`/v1/sessions/${sessionId}/audit?requests=${ASKED}`)).body;
  expect(audit).toMatchObject({ valid: true, events: events.length, requests: { checked: Math.min(all.length, ASKED), erased: 0, invalid: [] } });
  const others = notIn(events);
  const step = Math.max(1, Math.ceil(all.length / ASKED));
  const requests = all.filter(({ requestId }: UnknownObject, index: number) => index % step === 0 || others.has(requestId));
  // A server takes so many requests of a tenant at a time, and answers the others with 503.
  const verified = await mapLimited(requests, AT_ONCE, async ({ requestId }: UnknownObject) => {
    const { status, body } = await client.get(`/v1/sessions/${sessionId}/requests/${requestId}`);
    return [status, body.verified];
  });
  expect(verified).toEqual(verified.map(() => [200, true]));
  const { payload, problems } = (await client.get(`/v1/sessions/${sessionId}/payload`)).body;
  // Rewound to its beginning, a session has nothing to send.
  expect(payload.messages.length > 0 ? problems : []).toEqual([]);
}
