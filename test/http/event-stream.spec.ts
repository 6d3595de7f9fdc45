import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { NewEvent, SessionEvent } from '../../src/core/session/events.js';
import type { TurnView } from '../../src/queries/views.js';
import type { EventReader } from '../support/event-reader.js';
import { Edge } from './support/edge.js';
import { ADMIN } from './support/memory-ports.js';

const closed = (reason: string): NewEvent => ({ type: 'session.closed', data: { reason } });
const answered = (requestId: string): NewEvent => ({
  type: 'message.appended',
  data: {
    turnId: null,
    message: {
      type: 'assistant',
      uuid: randomUUID(),
      parentUuid: null,
      timestamp: '2024-01-01T00:00:00.000Z',
      requestId,
      message: { id: 'msg_1', role: 'assistant', model: 'm', content: [], stop_reason: 'end_turn' },
    },
  },
});

let edge: Edge;
let id: string;
const readers: EventReader[] = [];

async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  edge = await Edge.start({ STREAM_HEARTBEAT_MS: '3600000', ...environment });
  id = edge.session();
}

beforeEach(() => start());
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await edge.stop();
});

async function open(query = '', headers: Record<string, string> = {}): Promise<EventReader> {
  const reader = await edge.client.stream(id, headers, query);
  readers.push(reader);
  return reader;
}

/** As the executor does it: into the log, then the hint. */
function happen(...events: NewEvent[]): number {
  const seq = edge.store.record(id, ...events);
  edge.bus.publish({ kind: 'advanced', sessionId: id, seq });
  return seq;
}

const delta = (data: Record<string, string | number>): void => edge.bus.publish({ kind: 'delta', sessionId: id, type: 'message.delta', data });
const ids = (reader: EventReader): readonly number[] => reader.stored().map((event) => Number(event.id));
const upTo = (seq: number, from = 1): readonly number[] => Array.from({ length: seq - from + 1 }, (_, index) => from + index);
const reached = (reader: EventReader, seq: number) => reader.until((event) => event.id === String(seq));

/** Once everything of this stream has been let go. */
async function allFree(): Promise<void> {
  while (edge.streams.held.streams > 0 || edge.streams.held.tails > 0 || edge.bus.size > 0) await new Promise(setImmediate);
}

/** A client that reads when it likes. */
async function rawClient(path: string): Promise<Socket> {
  const socket = connect(edge.port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer vb_admin\r\n\r\n`);
  return socket;
}

describe('an event stream', () => {
  it('replays, says that it is in step, and goes on live', async () => {
    edge.store.record(id, ...Array.from({ length: 450 }, (_, index) => closed(`é${index}\n`)));
    const reader = await open();
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.response.headers.get('cache-control')).toContain('no-cache');
    expect((await reader.untilType('synced')).data).toEqual({ version: 451 });
    expect(ids(reader)).toEqual(upTo(451));
    happen(closed('live'));
    const live = await reached(reader, 452);
    expect(live).toEqual({ id: '452', event: 'session.closed', data: edge.store.logs.get(id)!.at(-1) });
    expect(reader.events.filter((event) => event.event === 'synced')).toHaveLength(1);
  });

  it('resumes behind the last event the client has', async () => {
    edge.store.record(id, closed('2'), closed('3'), closed('4'));
    const byQuery = await open('?after=2');
    const byHeader = await open('?after=1', { 'last-event-id': '3' });
    const atTheEnd = await open('?after=4');
    for (const reader of [byQuery, byHeader, atTheEnd]) await reader.untilType('synced');
    expect([ids(byQuery), ids(byHeader), ids(atTheEnd)]).toEqual([[3, 4], [4], []]);
  });

  it('refuses a position that is none, and one behind the end', async () => {
    const get = (query: string, headers = {}) => edge.client.get(`/v1/sessions/${id}/events/stream${query}`, headers);
    for (const [query, headers] of [['?after=x', {}], ['?after=-1', {}], ['?after=2', {}], ['', { 'last-event-id': 'x' }], ['', { 'last-event-id': '99' }], ['?since=1', {}]] as const) {
      expect((await get(query, headers)).body).toMatchObject({ status: 400, code: 'invalid_input' });
    }
    expect((await edge.client.get(`/v1/sessions/${randomUUID()}/events/stream`)).body).toMatchObject({ status: 404, code: 'session_not_found' });
    expect(edge.streams.held).toEqual({ streams: 0, tails: 0, bytes: 0 });
  });

  it('passes deltas through without an id, and never after what settles them', async () => {
    const reader = await open();
    await reader.untilType('synced');
    delta({ requestId: 'r1', text: 'early' });
    happen(answered('r1'));
    // Slower on its way than the message: it must not be shown any more, also once the message has been written.
    delta({ requestId: 'r1', text: 'during the read' });
    await reached(reader, 2);
    delta({ requestId: 'r1', text: 'late' });
    delta({ requestId: 'r2', text: 'next' });
    await reader.until((event) => event.data.text === 'next');
    expect(reader.events.map((event) => event.data.text ?? event.event)).toEqual(['session.closed', 'synced', 'early', 'message.appended', 'next']);
    expect(reader.events.filter((event) => event.event === 'message.delta').every((event) => event.id === null)).toBe(true);
  });

  it('keeps the order of the bus between events and deltas', async () => {
    const reader = await open();
    await reader.untilType('synced');
    happen(closed('sent'));
    delta({ requestId: 'r1', text: 'a' });
    delta({ requestId: 'r1', text: 'b' });
    await reader.until((event) => event.data.text === 'b');
    expect(reader.events.map((event) => event.data.text ?? event.id)).toEqual(['1', null, '2', 'a', 'b']);
  });

  it('reads the table once per hint, however many listen', async () => {
    const many = await Promise.all(Array.from({ length: 220 }, () => open()));
    await Promise.all(many.map((reader) => reader.untilType('synced')));
    expect(edge.streams.held).toMatchObject({ streams: 220, tails: 1 });
    expect(edge.bus.size).toBe(1);
    const before = edge.store.pages;
    const seq = happen(closed('one'), closed('two'));
    await Promise.all(many.map((reader) => reached(reader, seq)));
    expect(edge.store.pages - before).toBe(1);
    for (const reader of many) expect(ids(reader)).toEqual(upTo(seq));
    for (const reader of many) reader.close();
    await allFree();
  });

  it('loses nothing and doubles nothing when it joins while much happens', async () => {
    const total = 2_000;
    const joined: Promise<EventReader>[] = [];
    for (let seq = 2; seq <= total; seq += 1) {
      happen(closed(String(seq)));
      if (seq % 100 === 0) joined.push(open(`?after=${seq - 50}`));
      if (seq % 7 === 0) await new Promise(setImmediate);
    }
    const all = await Promise.all(joined);
    for (const [index, reader] of all.entries()) {
      await reached(reader, total);
      expect(ids(reader)).toEqual(upTo(total, (index + 1) * 100 - 49));
    }
  });

  it('frees everything when the client vanishes, also in the middle of a replay', async () => {
    edge.store.record(id, ...Array.from({ length: 500 }, () => closed('x')));
    let release = (): void => {};
    edge.store.gate = new Promise((resolve) => (release = resolve));
    const socket = await rawClient(`/v1/sessions/${id}/events/stream`);
    while (edge.streams.held.streams === 0) await new Promise(setImmediate);
    socket.destroy();
    await allFree();
    release();
    expect(edge.bus.size).toBe(0);
  });

  it('ends when the server stops', async () => {
    const reader = await open();
    await reader.untilType('synced');
    const ended = reader.untilType('never').catch((error: Error) => error.message);
    await edge.stop();
    expect(await ended).toContain('the stream ended');
    expect(edge.bus.size).toBe(0);
  });
});

describe('an event stream with a short heartbeat', () => {
  beforeEach(async () => {
    await edge.stop();
    await start({ STREAM_HEARTBEAT_MS: '20' });
  });

  it('shows that it stands, with comments', async () => {
    const reader = await open();
    await reader.untilType('synced');
    while (reader.comments < 3) await new Promise(setImmediate);
    expect(reader.events).toHaveLength(2);
  });

  it('finds what it got no hint of', async () => {
    const reader = await open();
    await reader.untilType('synced');
    edge.store.record(id, closed('unheard'));
    await reached(reader, 2);
  });
});

describe('a slow client', () => {
  beforeEach(async () => {
    await edge.stop();
    await start({ STREAM_BUFFER_BYTES: '65536' });
  });

  it('costs one buffer, loses deltas, and gets every event once it reads', async () => {
    const socket = await rawClient(`/v1/sessions/${id}/events/stream`);
    socket.pause();
    while (edge.streams.held.streams === 0) await new Promise(setImmediate);
    const text = 'x'.repeat(10_000);
    let most = 0;
    for (let count = 0; count < 2_000; count += 1) {
      happen(closed(text));
      for (let deltas = 0; deltas < 5; deltas += 1) delta({ requestId: 'r1', text });
      if (count % 20 === 0) await new Promise(setImmediate);
      most = Math.max(most, edge.streams.held.bytes);
    }
    // 120 MB were offered.
    expect(most).toBeLessThan(65_536 + 50_000);

    const seen: number[] = [];
    let rest = '';
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        rest += chunk.toString();
        const lines = rest.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('id: ')) seen.push(Number(line.slice(4)));
        if (seen.at(-1) === 2_001) resolve();
      });
      socket.resume();
    });
    expect(seen).toEqual(upTo(2_001));
    socket.destroy();
    await allFree();
  });
});

describe('a client that takes nothing at all', () => {
  it('is cut off', async () => {
    await edge.stop();
    await start({ STREAM_BUFFER_BYTES: '65536', STREAM_HEARTBEAT_MS: '20', STREAM_STALL_MS: '50' });
    const socket = await rawClient(`/v1/sessions/${id}/events/stream`);
    socket.pause();
    while (edge.streams.held.streams === 0) await new Promise(setImmediate);
    // More than the sockets of both sides hold.
    while (edge.streams.held.streams > 0) {
      happen(...Array.from({ length: 20 }, () => closed('x'.repeat(100_000))));
      await new Promise(setImmediate);
    }
    socket.destroy();
    await allFree();
  });
});

describe('too many streams of one user', () => {
  it('are refused, until one is closed', async () => {
    await edge.stop();
    await start({ STREAMS_PER_USER: '2' });
    const [first] = [await open(), await open()];
    const refused = await edge.client.get(`/v1/sessions/${id}/events/stream`);
    expect(refused.body).toMatchObject({ status: 429, code: 'limit_reached' });
    expect(refused.headers.get('retry-after')).toBe('5');
    first.close();
    while (edge.streams.held.streams === 2) await new Promise(setImmediate);
    await (await open()).untilType('synced');
  });
});

describe('waiting for a turn', () => {
  const turnId = randomUUID();
  const path = (wait: string) => `/v1/sessions/${id}/turns/${turnId}${wait}`;
  const turn = (status: TurnView['status']): TurnView => ({
    version: 1,
    turnId,
    promptId: randomUUID(),
    status,
    startedAt: null,
    endedAt: null,
    stopReason: null,
    error: null,
    checkpoints: [],
    requests: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 },
  });
  const waiting = async (): Promise<void> => {
    while (edge.bus.size === 0) await new Promise(setImmediate);
  };

  it('answers at once without `wait`, and when it does not run', async () => {
    edge.queries.turns.set(turnId, turn('running'));
    expect((await edge.client.get(path(''))).body.status).toBe('running');
    edge.queries.turns.set(turnId, turn('waiting'));
    expect((await edge.client.get(path('?wait=60'))).body.status).toBe('waiting');
    expect((await edge.client.get(`/v1/sessions/${id}/turns/${randomUUID()}?wait=60`)).body.code).toBe('turn_not_found');
    expect((await edge.client.get(path('?wait=x'))).body.code).toBe('invalid_input');
  });

  it.each(['queued', 'running'] as const)('answers as soon as a %s turn ends', async (status) => {
    edge.queries.turns.set(turnId, turn(status));
    const answer = edge.client.get(path('?wait=60'));
    await waiting();
    happen({ type: 'turn.completed', data: { turnId: randomUUID(), stopReason: 'end_turn', checkpoints: [] } });
    edge.queries.turns.set(turnId, turn('completed'));
    happen({ type: 'turn.completed', data: { turnId, stopReason: 'end_turn', checkpoints: [] } });
    expect((await answer).body.status).toBe('completed');
    await allFree();
  });

  it('answers when the time is over', async () => {
    edge.queries.turns.set(turnId, turn('running'));
    expect((await edge.client.get(path('?wait=1'))).body.status).toBe('running');
    await allFree();
  });

  it('stops when the client leaves, and when the server does', async () => {
    edge.queries.turns.set(turnId, turn('running'));
    const socket = await rawClient(path('?wait=60'));
    await waiting();
    socket.destroy();
    await allFree();
    const answer = edge.client.get(path('?wait=60'));
    await waiting();
    const stopped = edge.stop();
    // Answered with what is known, or cut off: both tell the client to ask again.
    await answer.catch(() => null);
    await stopped;
    expect(edge.bus.size).toBe(0);
  });
});

it('knows what its fakes stand for', () => {
  const event: SessionEvent | undefined = edge.store.logs.get(id)?.[0];
  expect(event).toMatchObject({ seq: 1, sessionId: id, actor: { kind: 'user', id: ADMIN.userId } });
});
