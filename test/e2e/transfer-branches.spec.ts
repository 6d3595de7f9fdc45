import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClaudeFile, text } from '../support/claude-file.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { expectSound, payloadText } from '../support/proofs.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startTestServer();
  client = server.client;
});
afterAll(() => server.stop());

const NDJSON = { 'content-type': 'application/x-ndjson' };
const imported = async (file: string): Promise<UnknownObject> => expectStatus(await client.call('POST', '/v1/imports', file, NDJSON), 201).body;
const exported = async (id: string): Promise<string> => expectStatus(await client.get(`/v1/sessions/${id}/export`), 200).body;
const branches = async (id: string): Promise<readonly UnknownObject[]> => (await client.get(`/v1/sessions/${id}/branches`)).body.data;
const rewinds = async (id: string): Promise<readonly UnknownObject[]> => (await client.get(`/v1/sessions/${id}/rewinds`)).body.data;
const all = (id: string): Promise<readonly UnknownObject[]> => client.messages(id, 'view=full&limit=1000');
const promptOf = async (id: string, words: string): Promise<string> =>
  (await all(id)).find(({ type, content }) => type === 'user' && JSON.stringify(content).includes(words))!.uuid;
const rewind = async (id: string, target: object): Promise<string> => expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, target), 201).body.id;

/** With an edited prompt, an abandoned end, a branch that was restored and left again, and a compaction. */
async function branched(): Promise<string> {
  const id = await client.session({ title: 'branches' });
  await client.ask(id, 'first words');
  await client.ask(id, 'second words');
  await client.ask(id, 'second words, edited', { replaces: await promptOf(id, 'second words') });
  const before = await rewind(id, { before: await promptOf(id, 'edited'), reason: 'for now' });
  await client.ask(id, 'third words', { mode: 'prompt' });
  expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${before}/restore`), 201);
  await client.ask(id, 'fourth words');
  const { turnId } = expectStatus(await client.post(`/v1/sessions/${id}/compactions`, {}), 202).body;
  await client.settled(id, turnId);
  await client.ask(id, 'fifth words');
  return id;
}

describe('an import of an export', () => {
  it('has every branch, rewind and restore point, and its log is proven', async () => {
    const id = await branched();
    const { id: copy, moves, offBranchTotal } = await imported(await exported(id));
    expect([moves, offBranchTotal > 0]).toEqual([3, true]);
    expect(await branches(copy)).toEqual(await branches(id));
    expect(await rewinds(copy)).toEqual(await rewinds(id));
    expect(await all(copy)).toEqual(await all(id));
    expect(await payloadText(client, copy)).toBe(await payloadText(client, id));
    expect(await exported(copy)).toBe(await exported(id));
    await expectSound(client, copy);

    for (const { id: rewindId } of await rewinds(id)) {
      const heads = await Promise.all(
        [id, copy].map(async (one) => expectStatus(await client.post(`/v1/sessions/${one}/rewinds/${rewindId}/restore`), 201).body.head),
      );
      expect(heads[1]).toBe(heads[0]);
      expect(await all(copy)).toEqual(await all(id));
    }
    for (const { tip } of (await branches(id)).filter(({ isCurrent }) => !isCurrent)) {
      for (const one of [id, copy]) expectStatus(await client.post(`/v1/sessions/${one}/branches/${tip}/restore`), 201);
      expect(await all(copy)).toEqual(await all(id));
    }
    await client.ask(copy, 'and on');
    await expectSound(client, copy);
  });

  it('of a fork has what the fork has of its parent', async () => {
    const id = await branched();
    const { id: fork } = expectStatus(await client.post(`/v1/sessions/${id}/forks`, {}), 201).body;
    await client.ask(fork, 'in the fork');
    await rewind(fork, { before: await promptOf(fork, 'in the fork') });
    const { id: copy } = await imported(await exported(fork));
    expect(await all(copy)).toEqual(await all(fork));
    expect(await branches(copy)).toEqual(await branches(fork));
  });

  it('finds texts of its current branch only', async () => {
    const { id: copy } = await imported(await exported(await branched()));
    const found = async (query: string): Promise<number> => {
      const { data } = (await client.get(`/v1/search?q=${encodeURIComponent(query)}&limit=100`)).body;
      return data.filter(({ sessionId }: UnknownObject) => sessionId === copy).length;
    };
    expect([(await found('"fifth words"')) > 0, await found('"third words"')]).toEqual([true, 0]);
  });

  it('with `branches=current` has the messages of the current branch alone', async () => {
    const id = await branched();
    const file: string = (await client.get(`/v1/sessions/${id}/export?branches=current`)).body;
    const { id: copy, moves } = await imported(file);
    expect([moves, (await branches(copy)).length]).toEqual([0, 1]);
    expect(await all(copy)).toEqual(await all(id));
  });
});

describe('an import of a session file of Claude Code', () => {
  it('lists the branches of the file, and each can be restored', async () => {
    const file = new ClaudeFile()
      .user('u1', null, 'first')
      .piece('a1', 'u1', 'm', text('one'))
      .user('u2', 'a1', 'left behind')
      .piece('b1', 'u2', 'n', text('gone'))
      .user('u3', 'a1', 'instead')
      .piece('c1', 'u3', 'o', text('stays'));
    const { id } = await imported(file.text);
    expect((await branches(id)).map(({ tip, isCurrent, first, left }) => [tip, isCurrent, first.preview, left?.cause])).toEqual([
      [ClaudeFile.uuid('b1'), false, 'left behind', 'import'],
      [ClaudeFile.uuid('c1'), true, 'instead', undefined],
    ]);
    expectStatus(await client.post(`/v1/sessions/${id}/branches/${ClaudeFile.uuid('b1')}/restore`), 201);
    expect(await payloadText(client, id)).toContain('left behind');
    const { id: copy } = await imported(await exported(id));
    expect((await branches(copy)).map(({ tip, isCurrent }) => [tip, isCurrent])).toEqual((await branches(id)).map(({ tip, isCurrent }) => [tip, isCurrent]));
  });
});
