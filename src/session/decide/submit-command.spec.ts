import { describe, expect, it } from '@jest/globals';
import { session, submission, submit } from '../../../test/support/given-session.js';
import type { Command, CommandAnswer } from '../state/commands.js';
import type { Route } from '../../../packages/protocol/message/submission.js';

const routed = (n: number, route: Route, answer?: CommandAnswer, whenBusy: 'enqueue' | 'reject' | 'interrupt' = 'enqueue'): Command => ({
  type: 'SubmitPrompt',
  submission: { ...submission(n, '/x'), route },
  whenBusy,
  maxQueued: 3,
  ...(answer ? { answer } : {}),
});
const display = { type: 'status', text: 'well' };
const client: Route = { kind: 'command', command: 'client', name: 'status' };

describe('submitting a command', () => {
  it('answers at once what the client shows, whether a turn runs or not, whatever the caller says of waiting', () => {
    const scene = session();
    expect(scene.when(routed(1, client, { display }))).toMatchObject([{ type: 'prompt.submitted', data: { disposition: 'answered', display } }]);
    scene.when(submit(2));
    for (const [n, whenBusy] of [
      [3, 'reject'],
      [4, 'interrupt'],
    ] as const)
      expect(scene.types(routed(n, client, { display }, whenBusy))).toEqual(['prompt.submitted']);
    expect(scene.state.queue).toEqual([]);
    expect(scene.state.turn?.interruptRequested).toBe(false);
  });

  it('changes settings in the same breath', () => {
    const scene = session();
    expect(scene.types(routed(1, client, { display, changes: { title: 'new' } }))).toEqual(['prompt.submitted', 'session.configured']);
    expect(scene.state.settings.title).toBe('new');
  });

  it('gives any other its turn, in the order of acceptance', () => {
    const scene = session();
    expect(scene.types(routed(1, { kind: 'command', command: 'prompt', name: 'commit' }))).toEqual(['prompt.submitted', 'turn.started']);
    expect(scene.types(routed(2, { kind: 'command', command: 'local', name: 'cost' }))).toEqual(['prompt.submitted', 'prompt.queued']);
    scene.when(submit(3));
    expect(scene.state.queue.map(({ promptId }) => promptId)).toEqual(['p2', 'p3']);
  });

  it('says why a command is not run', () => {
    const scene = session();
    const [event] = scene.when(routed(1, { kind: 'rejected', name: 'config', reason: 'remote' }));
    expect(event).toMatchObject({
      data: { disposition: 'answered', display: { level: 'error', text: expect.stringContaining('not available over remote control') } },
    });
  });

  it('takes no permissions from a client', () => {
    const attachments = [{ type: 'note' }, { type: 'command_permissions', allowedTools: ['Bash'] }];
    session().rejects({ ...submit(1), submission: { ...submission(1), attachments } } as Command, 'invalid_input');
  });

  it('takes the recorded route over what the text looks like', () => {
    const scene = session();
    expect(scene.types({ ...submit(1, '/exit'), submission: { ...submission(1, '/exit'), route: { kind: 'prompt' } } } as Command)).toContain('turn.started');
  });
});
