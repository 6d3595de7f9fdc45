import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERRUPTED_FOR_TOOL_USE, OUTCOME_UNKNOWN } from '../../packages/protocol/message/wire-texts.js';
import { callsWithoutOneOutcome } from '../support/call-outcomes.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import type { Client, UnknownObject } from '../support/client.js';
import { call, startToolServer, type ToolServer } from '../support/tool-server.js';
import { turnJobViolations } from '../support/turn-jobs.js';

const HASTY = { SHUTDOWN_GRACE_MS: '50', TOOL_STOP_GRACE_MS: '200' };

describe('a call whose worker is lost', () => {
  let database: TestDatabase;
  let first: ToolServer;
  let client: Client;
  const others: ToolServer[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    first = await startToolServer({ ...HASTY, ROLE: 'api' }, { database, token: '' });
    client = await first.tenant('tenant');
  });
  afterEach(async () => expect(await turnJobViolations(database.ownerUrl)).toEqual([]));
  afterAll(async () => {
    await Promise.all(others.map((server) => server.stop()));
    await first.stop();
    await database.drop();
  });

  const worker = async (environment: Readonly<Record<string, string>> = {}): Promise<ToolServer> => {
    const server = await startToolServer({ ...HASTY, ...environment }, { database, token: '' });
    others.push(server);
    return server;
  };
  const contents = (messages: readonly UnknownObject[]): readonly UnknownObject[] =>
    messages.flatMap(({ type, content }) =>
      type === 'user' && Array.isArray(content) ? content.flatMap((block: UnknownObject) => (block.type === 'tool_result' ? [block.content] : [])) : [],
    );

  it('is closed as unknown and its late outcome is rejected; finished calls are kept, calls not started are run', async () => {
    const one = await worker({ TOOL_STOP_GRACE_MS: '600000', TOOL_CONCURRENCY: '2' });
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    const { turnId } = (
      await client.prompt(
        id,
        call('Work', { label: 'lost', stubborn: true }) +
          call('Work', { label: 'kept' }) +
          call('Work', { label: 'held', stubborn: true }) +
          call('Work', { label: 'later' }),
      )
    ).body;
    await Promise.all([one.tools.running('lost'), one.tools.running('held')]);
    await one.worker.stop();
    const other = await worker();
    const turn = await client.settled(id, turnId);
    expect(turn).toMatchObject({
      status: 'completed',
      toolCalls: [{ outcome: 'unknown' }, { outcome: 'finished' }, { outcome: 'unknown' }, { outcome: 'finished' }],
    });
    one.tools.finish('lost');
    one.tools.finish('held');
    expect(contents(await client.messages(id))).toEqual([OUTCOME_UNKNOWN, 'did kept', OUTCOME_UNKNOWN, 'did later']);
    expect([...one.tools.labels(), ...other.tools.labels()]).toEqual(['lost', 'kept', 'held', 'later']);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
    await other.worker.stop();
  });

  it('is recorded as interrupted by a stopping worker whose tool stops in time; another worker continues the turn', async () => {
    const one = await worker();
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    const { turnId } = (await client.prompt(id, call('Work', { label: 'polite', hold: true }))).body;
    await one.tools.running('polite');
    await one.worker.stop();
    const other = await worker();
    expect(await client.settled(id, turnId)).toMatchObject({ status: 'completed', toolCalls: [{ outcome: 'interrupted', isError: true }] });
    expect(contents(await client.messages(id))).toEqual(['stopped in the middle of polite']);
    expect(other.tools.runs).toEqual([]);
    await other.worker.stop();
  });

  it('or whose tool ignores an interrupt is closed as unknown', async () => {
    const one = await worker();
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    const { turnId } = (await client.prompt(id, call('Work', { label: 'stubborn', stubborn: true }))).body;
    await one.tools.running('stubborn');
    await client.post(`/v1/sessions/${id}/interrupt`, {});
    expect((await client.settled(id, turnId)).status).toBe('interrupted');
    const messages = await client.messages(id);
    expect(contents(messages)).toEqual([OUTCOME_UNKNOWN]);
    expect(messages.at(-1).content).toEqual([{ type: 'text', text: INTERRUPTED_FOR_TOOL_USE }]);
    expect(callsWithoutOneOutcome(await client.events(id))).toEqual([]);
    await one.worker.stop();
  });

  it('and whose turn is interrupted before another worker has it has the outcome unknown', async () => {
    const one = await worker({ TOOL_STOP_GRACE_MS: '600000' });
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    const { turnId } = (await client.prompt(id, call('Work', { label: 'gone', stubborn: true }))).body;
    await one.tools.running('gone');
    await one.worker.stop();
    await client.post(`/v1/sessions/${id}/interrupt`, {});
    const other = await worker();
    expect(await client.settled(id, turnId)).toMatchObject({ status: 'interrupted', toolCalls: [{ outcome: 'unknown', isError: true }] });
    expect(callsWithoutOneOutcome(await client.events(id))).toEqual([]);
    expect(contents(await client.messages(id))).toEqual([OUTCOME_UNKNOWN]);
    await other.worker.stop();
  });
});
