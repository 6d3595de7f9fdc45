import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { EventReader } from '../support/event-reader.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('the stream over all sessions of a user', () => {
  let server: TestServer;
  let second: TestServer;
  let client: Client;
  let elsewhere: Client;

  beforeAll(async () => {
    server = await startTestServer({ STREAMS_PER_USER: '3' });
    client = server.client;
    second = await startTestServer({}, server.database, client.token);
    elsewhere = second.client;
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  const changed = (stream: EventReader, fits: (row: UnknownObject) => boolean): Promise<UnknownObject> =>
    stream.until(({ event, data }) => event === 'session.changed' && fits(data));

  it('reports status, turn, title and last text of every session, whichever process changes it', async () => {
    const stream = await client.streamAll();
    await stream.untilType('sessions.synced');
    const id = await elsewhere.session({ title: 'One' });
    const created = await changed(stream, (row) => row.id === id);
    expect(created.data).toMatchObject({ title: 'One', status: 'idle', messageCount: 0, lastText: null });
    const { body } = await elsewhere.prompt(id, '{{slow 30}}{{say the last text}}');
    await changed(stream, (row) => row.id === id && row.status === 'running' && row.turnId === body.turnId);
    const done = await changed(stream, (row) => row.id === id && row.status === 'idle' && row.lastText === 'the last text');
    expect(done.data.version).toBe((await client.get(`/v1/sessions/${id}`)).body.version);
    const versions = stream.events.filter(({ event, data }) => event === 'session.changed' && data.id === id).map(({ data }) => data.version);
    expect(versions).toEqual([...new Set(versions)].toSorted((one, other) => one - other));
    await client.call('PATCH', `/v1/sessions/${id}`, { archived: true });
    await changed(stream, (row) => row.id === id && row.archived === true);
    stream.close();
  });

  it('resumes after the last event received', async () => {
    const stream = await client.streamAll();
    await stream.untilType('sessions.synced');
    const seen = await client.session();
    const { id: last } = await changed(stream, (row) => row.id === seen);
    stream.close();
    const missed = await client.session({ title: 'Missed' });
    for (const again of [await client.streamAll({ 'last-event-id': last }), await client.streamAll({}, `?after=${last}`)]) {
      await again.untilType('sessions.synced');
      expect(again.events.filter(({ event }) => event === 'session.changed').map(({ data }) => data.id)).toContain(missed);
      again.close();
    }
    for (const bad of ['x', '7', '0000-01-01T00:00:00Z']) {
      expect((await client.get('/v1/events/stream', { 'last-event-id': bad })).body.code).toBe('invalid_input');
      expect((await client.get(`/v1/events/stream?after=${bad}`)).body.code).toBe('invalid_input');
    }
  });

  it('reports what changes although the client is at a later time than the database, each version once', async () => {
    const seen = await client.session({ title: 'Before' });
    const after = new Date(Date.now() + 3_600_000).toISOString();
    const stream = await client.streamAll({}, `?after=${after}`);
    await stream.untilType('sessions.synced');
    const ids = [await client.session(), await client.session()];
    for (const id of ids) await changed(stream, (row) => row.id === id);
    await client.call('PATCH', `/v1/sessions/${seen}`, { title: 'Renamed' });
    const last = await changed(stream, (row) => row.id === seen && row.title === 'Renamed');
    expect(last.id! < after).toBe(true);
    const reported = stream.events.filter(({ event }) => event === 'session.changed').map(({ data }) => `${data.id} ${data.version}`);
    expect(reported).toEqual([...new Set(reported)]);
    stream.close();
  });

  it("shows nothing of other users' sessions, to an admin neither, and is limited per user", async () => {
    const member = client.as((await client.post('/v1/tokens', { userName: 'a member' })).body.token);
    const [own, foreign] = [await member.streamAll(), await client.streamAll()];
    await own.untilType('sessions.synced');
    await foreign.untilType('sessions.synced');
    const id = await member.session();
    await changed(own, (row) => row.id === id);
    const mine = await client.session();
    await changed(foreign, (row) => row.id === mine);
    expect(foreign.events.some(({ data }) => data.id === id)).toBe(false);
    const more = [await member.streamAll(), await member.streamAll()];
    const refused = await member.get('/v1/events/stream');
    expect([refused.status, refused.body.code]).toEqual([429, 'limit_reached']);
    for (const stream of [own, foreign, ...more]) stream.close();
  });

  it('is opened once by a ticket without a session; tickets of a session are for that session', async () => {
    const { ticket } = expectStatus(await client.post('/v1/stream-tickets'), 201).body;
    const id = await client.session();
    const open = (path: string): Promise<EventReader> => EventReader.open(`${client.baseUrl}${path}`, {});
    await expect(open(`/v1/sessions/${id}/events/stream?ticket=${ticket}`)).rejects.toThrow('401');
    const stream = await open(`/v1/events/stream?ticket=${ticket}`);
    await stream.untilType('sessions.synced');
    const made = await client.session();
    await changed(stream, (row) => row.id === made);
    stream.close();
    await expect(open(`/v1/events/stream?ticket=${ticket}`)).rejects.toThrow('401');
    const other = expectStatus(await client.post('/v1/stream-tickets', { sessionId: id }), 201).body.ticket;
    await expect(open(`/v1/events/stream?ticket=${other}`)).rejects.toThrow('401');
  });
});
