import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Draft, withDelta } from '../../clients/typescript/src/draft.js';
import type { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import type { EventReader } from '../support/event-reader.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('a reader that joins in the middle of an answer', () => {
  let database: TestDatabase;
  let worker: TestServer;
  let api: TestServer;
  const readers: EventReader[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    worker = await startTestServer({}, database);
    api = await startTestServer({ ROLE: 'api' }, database, worker.client.token);
  });
  afterEach(() => readers.splice(0).forEach((reader) => reader.close()));
  afterAll(async () => {
    await Promise.all([api, worker].map((server) => server?.stop()));
    await database?.drop();
  });

  const opened = async (client: Client, id: string): Promise<EventReader> => {
    const reader = await client.stream(id);
    readers.push(reader);
    await reader.untilType('synced');
    return reader;
  };
  /** What a client shows after the deltas that it has received so far; `until` a part of it is there. */
  const draftOf = ({ events }: EventReader): Draft | null =>
    events.reduce<Draft | null>((draft, { event, data }) => (event === 'message.delta' ? withDelta(draft, data as never) : draft), null);
  const shows = async (reader: EventReader, isSo: (draft: Draft | null) => boolean): Promise<Draft> => {
    if (!isSo(draftOf(reader))) await reader.until(() => isSo(draftOf(reader)));
    return draftOf(reader)!;
  };
  const words = (draft: Draft | null, least: number): boolean => {
    const block = draft?.blocks.at(-1);
    return block?.type === 'text' && block.text.split(' ').length > least;
  };

  it.each([
    ['the process that writes it', () => worker.client],
    ['another process', () => api.client],
  ])('through %s is shown all that is written, each reader before it everything once', async (_, through) => {
    const client = through();
    const id = await client.session();
    const first = await opened(client, id);
    await client.prompt(id, '{{think a thought before it}}{{slow 20}}{{long 200}}');
    await shows(first, (draft) => words(draft, 10));
    const late = await opened(client, id);
    const joined = await shows(late, (draft) => words(draft, 10));
    expect(joined.blocks.map(({ type }) => type)).toEqual(['thinking', 'text']);
    const later = await opened(client, id); // to a process that has a reader already
    await shows(later, (draft) => words(draft, 10));
    await Promise.all([first, late, later].map((reader) => reader.untilType('turn.completed')));
    const [answer] = (await client.messages(id)).filter(({ type }) => type === 'assistant');
    for (const reader of [first, late, later]) {
      const { blocks } = draftOf(reader)!;
      expect(blocks.map((block) => ('text' in block ? block.text : 'thinking' in block ? block.thinking : null))).toEqual(
        answer.message.content.map((block: { text?: string; thinking?: string }) => block.text ?? block.thinking),
      );
    }
  });
});
