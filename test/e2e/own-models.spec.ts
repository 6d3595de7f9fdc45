import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSettings } from '../../src/platform/config/env.js';
import { start } from '../../src/start.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { useOwnModels } from '../../packages/normalizer/models/own-models.js';
import { startTestServer } from '../support/server.js';

const MODEL = 'claude-opus-6-20270101';
const ENTRY = { like: 'claude-opus-5', contextWindow: 2_000_000, maxOutputTokens: 9_000, effortLevels: ['low'], price: { input: 1_000, output: 10_000 } };

describe('a model that only MODELS_FILE has', () => {
  let folder: string;
  let database: TestDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'models-'));
    database = await freshDatabase();
  });
  afterAll(async () => {
    useOwnModels([]); // they are those of the process
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const requestOf = async (client: Client, id: string, index: number): Promise<UnknownObject> => {
    const { data } = expectStatus(await client.get(`/v1/sessions/${id}/requests`), 200).body;
    return expectStatus(await client.get(`/v1/sessions/${id}/requests/${data[index].requestId}`), 200).body;
  };
  const profilesOf = async (client: Client, id: string): Promise<readonly string[]> =>
    (await client.events(id)).flatMap(({ data }: UnknownObject) => (typeof data?.profile === 'string' ? [data.profile] : []));
  const usageOf = async (client: Client): Promise<Record<string, UnknownObject>> =>
    Object.fromEntries(expectStatus(await client.get('/v1/usage?groupBy=model'), 200).body.data.map((entry: UnknownObject) => [entry.key, entry]));

  it('gets its limits and options, and costs what the file says, in compute processes too; what was recorded before stays as it is', async () => {
    const plain = await startTestServer({}, database);
    const { token } = plain.client;
    const id = await plain.client.session({ model: MODEL, modelOptions: { effort: 'max' } });
    await plain.client.ask(id, '{{say hello}}');
    const earlier = await requestOf(plain.client, id, 0);
    expect(earlier).toMatchObject({ payload: { output_config: { effort: 'high' } } });
    const spent = await usageOf(plain.client);
    await plain.stop();

    const file = path.join(folder, 'models.json');
    await writeFile(file, JSON.stringify({ models: { 'claude-opus-6': ENTRY } }));
    const server = await startTestServer({ MODELS_FILE: file }, database, token);
    try {
      const { client } = server;
      await writeFile(file, '{}'); // read at the start, once for all processes
      await client.ask(id, '{{say hello}}');
      const sent = await requestOf(client, id, 1);
      expect(sent).toMatchObject({ payload: { model: MODEL, max_tokens: 9_000, output_config: { effort: 'low' } } });
      expect(await profilesOf(client, id)).toEqual(['unknown/anthropic', 'claude-opus-6/anthropic']);
      const usage = await usageOf(client);
      const used = usage['claude-opus-6']!;
      expect(used.cost).toBeGreaterThan(0);
      expect(used.cost).toBeCloseTo(
        (used.inputTokens * 1_000 + used.outputTokens * 10_000 + used.cacheReadTokens * 100 + used.cacheCreationTokens * 1_250) / 1e6,
        8,
      );
      expect(sent.cost).toBeCloseTo(used.cost, 8);
      expect(await requestOf(client, id, 0)).toEqual({ ...earlier, version: expect.any(Number) }); // the session's
      expect(usage['unknown']).toEqual(spent['unknown']);

      // A body of this size is normalised in a compute process.
      const large = { model: MODEL, modelOptions: { effort: 'max' }, messages: [{ role: 'user', content: 'x'.repeat(3_000_000) }] };
      const { notes, payload } = expectStatus(await client.post('/v1/normalize', large), 200).body;
      expect({ notes, effort: payload.output_config }).toEqual({ notes: [], effort: { effort: 'low' } });
    } finally {
      await server.stop();
    }
  });

  it('ends the start when the file is absent or has faults', async () => {
    const started = (file: string) => start(readSettings({ LOG_LEVEL: 'silent', PORT: '0', MODELS_FILE: file, DATABASE_URL: database.ownerUrl }));
    await expect(started('/nowhere/models.json')).rejects.toThrow('MODELS_FILE /nowhere/models.json cannot be read (ENOENT).');
    const file = path.join(folder, 'faulty.json');
    await writeFile(file, JSON.stringify({ models: { 'claude-opus-6': { contextWindow: -1, colour: 'blue' } } }));
    await expect(started(file)).rejects.toThrow(/models\.claude-opus-6\.contextWindow: .*\n.*models\.claude-opus-6: .*colour/);
  });
});
