import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CANCELLED } from '../../packages/protocol/message/wire-texts.js';
import type { Client } from '../support/client.js';
import { call, expectVerified, resultsIn, startToolServer, type ToolServer } from '../support/tool-server.js';

describe('tools of the server', () => {
  let server: ToolServer;
  let client: Client;

  beforeAll(async () => {
    server = await startToolServer({ TOOL_CONCURRENCY: '3' });
    client = server.client;
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.hooks.answer = () => null;
    server.hooks.events = [];
    server.hooks.calls.length = 0;
    server.tools.runs.length = 0;
  });

  const allowing = (): Promise<string> => client.session({ permissionMode: 'bypassPermissions' });
  const everySentVerifies = (id: string): Promise<void> => expectVerified(client, id);

  describe('and hooks', () => {
    it('deny, ask, allow, change the input and add context before and after a call', async () => {
      const id = await client.session();
      server.hooks.answer = ({ event, input }) => {
        if (event === 'PreToolUse') {
          const { label } = input['tool_input'] as { label: string };
          return {
            decision: label === 'no' ? 'deny' : 'allow',
            reason: 'says the hook',
            additionalContext: `before ${label}`,
            ...(label === 'yes' ? { updatedInput: { label: 'better' } } : {}),
          };
        }
        return event === 'PostToolUse' ? { outcome: 'blocked', reason: 'look again', additionalContext: 'after' } : null;
      };
      const turn = await client.ask(id, call('Work', { label: 'yes' }) + call('Work', { label: 'no' }));
      expect(turn).toMatchObject({
        status: 'completed',
        toolCalls: [
          { input: { label: 'better' }, decidedBy: { kind: 'hook' } },
          { decision: 'deny', reason: 'says the hook' },
        ],
      });
      expect(server.tools.labels()).toEqual(['better']);
      expect(server.hooks.calls.map(({ event, subject }) => [event, subject])).toEqual([
        ['SessionStart', 'startup'],
        ['UserPromptSubmit', undefined],
        ['PreToolUse', 'Work'],
        ['PreToolUse', 'Work'],
        ['PostToolUse', 'Work'],
      ]);
      expect(server.hooks.calls.at(-1)?.input).toMatchObject({ tool_name: 'Work', tool_input: { label: 'better' }, tool_response: 'did better' });
      const attachments = (await client.messages(id))
        .filter(({ type }) => type === 'attachment')
        .map(({ attachment }) => [attachment.type, attachment.hookName]);
      expect(attachments).toEqual([
        ['hook_additional_context', 'PreToolUse:Work'],
        ['hook_additional_context', 'PreToolUse:Work'],
        ['hook_blocking_error', 'PostToolUse:Work'],
        ['hook_additional_context', 'PostToolUse:Work'],
      ]);
      expect((await client.events(id)).filter(({ type }) => type === 'hook.completed').map(({ data }) => [data.event, data.turnId])).toEqual([
        ['PreToolUse', turn.turnId],
        ['PreToolUse', turn.turnId],
        ['PostToolUse', turn.turnId],
      ]);
      await everySentVerifies(id);
    });

    it('end the turn after its calls have results', async () => {
      const id = await allowing();
      server.hooks.answer = ({ event }) => (event === 'PostToolUse' ? { outcome: 'prevented', reason: 'enough' } : null);
      expect(await client.ask(id, call('Work', { label: 'last' }))).toMatchObject({ status: 'completed', stopReason: 'stopped_by_hook', requests: [{}] });
      expect((await client.messages(id)).slice(-2)).toMatchObject([
        { subtype: 'hook_stopped', content: 'A hook stopped the turn: enough' },
        { content: 'Operation stopped by hook' },
      ]);
    });

    it('make the model continue when it stops, up to the limit', async () => {
      const id = await client.session();
      server.hooks.events = ['Stop'];
      server.hooks.answer = ({ event, input }) =>
        event === 'Stop' && input['stop_hook_active'] === false ? { outcome: 'blocked', reason: 'one more thing' } : null;
      expect(await client.ask(id, 'hello')).toMatchObject({ status: 'completed', stopReason: 'end_turn', requests: [{}, {}] });
      expect((await client.messages(id)).filter(({ isMeta }) => isMeta)).toMatchObject([{ content: 'A Stop hook has you go on:\none more thing' }]);

      server.hooks.answer = ({ event }) => (event === 'Stop' ? { outcome: 'blocked', reason: 'never enough' } : null);
      const turn = await client.ask(id, 'again');
      expect(turn.status).toBe('completed');
      expect(turn.requests).toHaveLength(9);
      expect((await client.messages(id)).at(-1)).toMatchObject({ type: 'system', subtype: 'informational', content: expect.stringContaining('8 times') });
      await everySentVerifies(id);
    });
  });

  describe('interrupted', () => {
    it('while a tool runs: its partial result is kept, calls not started are cancelled, the queue continues', async () => {
      const id = await allowing();
      const { turnId } = (await client.prompt(id, [1, 2, 3, 4].map((n) => call('Work', { label: `i${n}-${id}`, hold: true })).join(''))).body;
      await Promise.all([1, 2, 3].map((n) => server.tools.running(`i${n}-${id}`)));
      const next = (await client.prompt(id, 'next')).body;
      expect((await client.post(`/v1/sessions/${id}/interrupt`, {})).body.interrupted).toBe(true);
      expect((await client.settled(id, turnId)).status).toBe('interrupted');
      expect((await client.settled(id, next.turnId)).status).toBe('completed');
      const contents = resultsIn(await client.messages(id)).map(({ content }) => content);
      expect(contents).toEqual([1, 2, 3].map((n) => `stopped in the middle of i${n}-${id}`).concat(CANCELLED));
      expect(server.tools.runs).toHaveLength(3);
      await everySentVerifies(id);
    });

    it('several times at once: one of the requests interrupts it', async () => {
      const id = await allowing();
      const { turnId } = (await client.prompt(id, call('Work', { label: id, hold: true }))).body;
      await server.tools.running(id);
      const asked = await Promise.all([1, 2, 3].map(() => client.post(`/v1/sessions/${id}/interrupt`, {})));
      expect(asked.map(({ body }) => body.interrupted).toSorted()).toEqual([false, false, true]);
      expect((await client.settled(id, turnId)).status).toBe('interrupted');
    });

    it('while it waits for a decision', async () => {
      const id = await client.session();
      const { turnId } = await client.ask(id, call('Work', { label: 'w' }));
      await client.post(`/v1/sessions/${id}/interrupt`, {});
      expect((await client.settled(id, turnId)).status).toBe('interrupted');
      expect(resultsIn(await client.messages(id))).toMatchObject([{ content: CANCELLED, is_error: true }]);
    });
  });
});
