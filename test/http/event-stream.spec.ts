import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { EventReader } from '../support/event-reader.js';
import { ADMIN } from './support/memory-ports.js';
import { answered, closed, holdBack, ids, reached, StreamScene, upTo } from './support/stream-scene.js';

/** Replays read pages of at most this size, the shared tail reads larger ones. */
const REPLAY_PAGE = 100;

let scene: StreamScene;
beforeEach(async () => {
  scene = await StreamScene.start();
});
afterEach(() => scene.stop());

describe('an event stream', () => {
  it('replays, says that it is in step, and continues live', async () => {
    scene.edge.store.record(scene.id, ...Array.from({ length: 450 }, (_, index) => closed(`é${index}\n`)));
    const reader = await scene.open();
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.response.headers.get('cache-control')).toContain('no-cache');
    expect((await reader.untilType('synced')).data).toEqual({ version: 451 });
    expect(ids(reader)).toEqual(upTo(451));
    scene.happen(closed('live'));
    const live = await reached(reader, 452);
    expect(live).toEqual({ id: '452', event: 'session.closed', data: scene.edge.store.logs.get(scene.id)!.at(-1) });
    expect(reader.events.filter((event) => event.event === 'synced')).toHaveLength(1);
  });

  it('resumes after the last event of the client', async () => {
    scene.edge.store.record(scene.id, closed('2'), closed('3'), closed('4'));
    const byQuery = await scene.open('?after=2');
    const byHeader = await scene.open('?after=1', { 'last-event-id': '3' });
    const atTheEnd = await scene.open('?after=4');
    for (const reader of [byQuery, byHeader, atTheEnd]) await reader.untilType('synced');
    expect([ids(byQuery), ids(byHeader), ids(atTheEnd)]).toEqual([[3, 4], [4], []]);
  });

  it('rejects an invalid position, and one after the end', async () => {
    const get = (query: string, headers = {}) => scene.edge.client.get(`/v1/sessions/${scene.id}/events/stream${query}`, headers);
    for (const [query, headers] of [
      ['?after=x', {}],
      ['?after=-1', {}],
      ['?after=2', {}],
      ['', { 'last-event-id': 'x' }],
      ['', { 'last-event-id': '99' }],
      ['?since=1', {}],
    ] as const) {
      expect((await get(query, headers)).body).toMatchObject({ status: 400, code: 'invalid_input' });
    }
    expect((await scene.edge.client.get(`/v1/sessions/${randomUUID()}/events/stream`)).body).toMatchObject({ status: 404, code: 'session_not_found' });
    expect(scene.edge.streams.held).toEqual({ streams: 0, tails: 0, bytes: 0 });
  });

  it('is not opened by a caller who only asks for its head', async () => {
    const answer = await scene.edge.client.call('HEAD', `/v1/sessions/${scene.id}/events/stream`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/event-stream/)]);
    expect(scene.edge.streams.held).toEqual({ streams: 0, tails: 0, bytes: 0 });
  });

  it('passes deltas through without an id, and never after what ends them', async () => {
    const reader = await scene.open();
    await reader.untilType('synced');
    scene.delta({ requestId: 'r1', text: 'early' });
    scene.happen(answered('r1'));
    // Here before the message has been read: it is shown, before it. After it there is nothing.
    scene.delta({ requestId: 'r1', text: 'during the read' });
    await reached(reader, 2);
    scene.delta({ requestId: 'r1', text: 'late' });
    scene.delta({ requestId: 'r2', text: 'next' });
    await reader.until((event) => event.data.text === 'next');
    expect(reader.events.map((event) => event.data.text ?? event.event)).toEqual([
      'session.closed',
      'synced',
      'early',
      'during the read',
      'message.appended',
      'next',
    ]);
    expect(reader.events.filter((event) => event.event === 'message.delta').every((event) => event.id === null)).toBe(true);
  });

  it('keeps the order of the bus between events and deltas', async () => {
    const reader = await scene.open();
    await reader.untilType('synced');
    scene.happen(closed('sent'));
    scene.delta({ requestId: 'r1', text: 'a' });
    scene.delta({ requestId: 'r1', text: 'b' });
    await reader.until((event) => event.data.text === 'b');
    expect(reader.events.map((event) => event.data.text ?? event.id)).toEqual(['1', null, '2', 'a', 'b']);
  });

  it('reads the table once per hint, however many listen', async () => {
    const many = await Promise.all(Array.from({ length: 220 }, () => scene.open()));
    await Promise.all(many.map((reader) => reader.untilType('synced')));
    expect(scene.edge.streams.held).toMatchObject({ streams: 220, tails: 1 });
    expect(scene.edge.bus.size).toBe(2); // of the session, and of revocations in its tenant
    const before = scene.edge.store.pages;
    const seq = scene.happen(closed('one'), closed('two'));
    await Promise.all(many.map((reader) => reached(reader, seq)));
    expect(scene.edge.store.pages - before).toBe(1);
    for (const reader of many) expect(ids(reader)).toEqual(upTo(seq));
    for (const reader of many) reader.close();
    await scene.allFree();
  });

  it('has no chunks for a client of HTTP/1.0, and waits for its turn on a connection', async () => {
    const path = `/v1/sessions/${scene.id}/events/stream`;
    const old = await scene.rawClient(path, '1.0');
    const texts = { old: '', second: '' };
    old.on('data', (bytes: Buffer) => (texts.old += bytes.toString()));
    const second = await scene.rawClient('/health/live');
    second.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer vb_admin\r\n\r\n`);
    second.on('data', (bytes: Buffer) => (texts.second += bytes.toString()));
    while (scene.edge.streams.held.streams < 2) await new Promise(setImmediate);
    scene.happen(closed('é'));
    for (const name of ['old', 'second'] as const) while (!texts[name].includes('id: 2\n')) await new Promise(setImmediate);
    const [, body] = texts.old.split('\r\n\r\n');
    expect(body).toMatch(/^retry: 2000\n\nid: 1\nevent: session.closed\ndata: .*\n\nevent: synced\ndata: .*\n\nid: 2\nevent: session.closed\ndata: .*é.*\n\n$/);
    expect(texts.second.split('HTTP/1.1 200').length).toBe(3);
    expect(texts.second.slice(texts.second.lastIndexOf('\r\n\r\n', texts.second.indexOf('retry:')))).toMatch(/^\r\n\r\nd\r\nretry: 2000\n\n\r\n/);
    for (const socket of [old, second]) socket.destroy();
  });

  it('loses nothing and doubles nothing when it joins while much happens', async () => {
    const total = 2_000;
    const joined: Promise<EventReader>[] = [];
    for (let seq = 2; seq <= total; seq += 1) {
      scene.happen(closed(String(seq)));
      if (seq % 100 === 0) joined.push(scene.open(`?after=${seq - 50}`));
      if (seq % 7 === 0) await new Promise(setImmediate);
    }
    const all = await Promise.all(joined);
    for (const [index, reader] of all.entries()) {
      await reached(reader, total);
      expect(ids(reader)).toEqual(upTo(total, (index + 1) * 100 - 49));
    }
  });

  it('misses nothing that was passed round while it still replayed', async () => {
    const { held, release } = holdBack();
    scene.edge.store.delay = (limit) => (limit <= REPLAY_PAGE ? held : null);
    const reader = await scene.open();
    const witness = holdBack();
    const unfollow = scene.edge.streams.follow(ADMIN.tenantId, scene.id, 1, {
      receive: witness.release,
      heartbeat: () => {},
      outdated: () => {},
    });
    scene.happen(closed('while it replays'));
    await witness.held;
    release();
    expect((await reader.untilType('synced')).data).toEqual({ version: 2 });
    expect(ids(reader)).toEqual([1, 2]);
    unfollow();
  });

  it('sends the deltas that arrived while it replayed after the replay, but none whose message it has', async () => {
    const { held, release } = holdBack();
    scene.edge.store.delay = (limit) => (limit <= REPLAY_PAGE ? held : null);
    const reader = await scene.open();
    const delivered: string[] = [];
    const unfollow = scene.edge.streams.follow(ADMIN.tenantId, scene.id, 1, {
      receive: ({ frames }) => delivered.push(...frames.map(({ text }) => text)),
      heartbeat: () => {},
      outdated: () => {},
    });
    scene.delta({ requestId: 'r1', text: 'of an answer that ends' });
    scene.happen(answered('r1'));
    scene.delta({ requestId: 'r2', text: 'first' });
    scene.delta({ requestId: 'r2', text: 'second' });
    while (delivered.length < 4) await new Promise(setImmediate);
    release();
    await reader.until((event) => event.data.text === 'second');
    expect(reader.events.map((event) => event.data.text ?? event.event)).toEqual(['session.closed', 'message.appended', 'synced', 'first', 'second']);
    unfollow();
  });

  it('doubles nothing that it had read before it was passed round', async () => {
    const first = await scene.open();
    await first.untilType('synced');
    const { held, release } = holdBack();
    scene.edge.store.delay = (limit) => (limit > REPLAY_PAGE ? held : null);
    scene.happen(closed('on its way'));
    const second = await scene.open();
    expect((await second.untilType('synced')).data).toEqual({ version: 2 });
    release();
    await reached(first, 2);
    scene.edge.store.delay = () => null;
    scene.happen(closed('next'));
    await Promise.all([reached(first, 3), reached(second, 3)]);
    expect([ids(first), ids(second)]).toEqual([upTo(3), upTo(3)]);
  });

  it('frees everything when the client vanishes, also in the middle of a replay', async () => {
    scene.edge.store.record(scene.id, ...Array.from({ length: 500 }, () => closed('x')));
    const { held, release } = holdBack();
    scene.edge.store.delay = () => held;
    const socket = await scene.rawClient();
    await scene.opened();
    socket.destroy();
    await scene.allFree();
    release();
    expect(scene.edge.bus.size).toBe(0);
  });

  it('ends when the server stops', async () => {
    const reader = await scene.open();
    await reader.untilType('synced');
    const ended = reader.untilType('never').catch((error: Error) => error.message);
    await scene.edge.stop();
    expect(await ended).toContain('the stream ended');
    expect(scene.edge.bus.size).toBe(0);
  });
});

describe('an event stream with a short heartbeat', () => {
  beforeEach(async () => {
    await scene.stop();
    scene = await StreamScene.start({ STREAM_HEARTBEAT_MS: '20' });
  });

  it('shows that it stands, with comments', async () => {
    const reader = await scene.open();
    await reader.untilType('synced');
    while (reader.comments < 3) await new Promise(setImmediate);
    expect(reader.events).toHaveLength(2);
  });

  it('finds what it got no hint of', async () => {
    const reader = await scene.open();
    await reader.untilType('synced');
    scene.edge.store.record(scene.id, closed('unheard'));
    await reached(reader, 2);
  });
});
