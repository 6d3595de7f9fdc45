import { describe, expect, it } from '@jest/globals';
import { session, submission, submit, turn, uuidsOnPath, prepare, send, answer } from '../../../test/support/given-session.js';
import type { Command } from '../state/commands.js';

describe('submitting', () => {
  it('starts a turn when none runs', () => {
    expect(session().types(submit(1))).toEqual(['prompt.submitted', 'turn.started']);
  });

  it('queues while a turn runs, in order, and starts the next one with the end of the turn before', () => {
    const scene = session();
    scene.when(submit(1));
    expect(scene.types(submit(2))).toEqual(['prompt.submitted', 'prompt.queued']);
    expect(scene.when(submit(3))[1]).toMatchObject({ type: 'prompt.queued', data: { position: 2 } });
    scene.when(prepare(1));
    scene.when(send(scene, 1));
    expect(scene.types(answer(1))).toEqual(['message.appended', 'request.completed', 'turn.completed', 'turn.started']);
    expect(scene.state.turn?.promptId).toBe('p2');
    expect(scene.state.queue.map((waiting) => waiting.promptId)).toEqual(['p3']);
  });

  it('rejects it when the caller will not wait, when the queue is full, when the session is closed, when the uuid is taken', () => {
    const scene = session();
    turn(scene, 1);
    scene.rejects({ ...submit(9), submission: { ...submission(9), uuid: 'm1' } } as Command, 'message_exists');
    scene.when(submit(2));
    scene.rejects(submit(3, 'x', 'reject'), 'session_busy');
    for (const n of [3, 4, 5]) scene.when(submit(n));
    scene.rejects(submit(6), 'limit_reached');
    const closed = session();
    closed.when({ type: 'CloseSession', reason: null });
    closed.rejects(submit(1), 'session_closed');
    closed.when({ type: 'ReopenSession' });
    expect(closed.types(submit(1))).toContain('turn.started');
  });

  it.each(['exit', 'quit', ':q', '/exit'])('closes the session on %s', (word) => {
    const scene = session();
    expect(scene.types(submit(1, word))).toEqual(['prompt.submitted', 'session.closed']);
    expect(scene.state.status).toBe('closed');
  });

  it('answers an unknown command at once, and takes a path for a prompt', () => {
    const scene = session();
    expect(scene.when(submit(1, '/nope now'))[0]).toMatchObject({ data: { disposition: 'answered', display: { text: 'Unknown command: /nope' } } });
    expect(scene.types(submit(2, '/var/log is full'))).toContain('turn.started');
  });

  it('withdraws a waiting prompt once, never a started one', () => {
    const scene = session();
    scene.when(submit(1));
    scene.when(submit(2));
    expect(scene.types({ type: 'WithdrawPrompt', promptId: 'p2' })).toEqual(['prompt.withdrawn']);
    expect(scene.types({ type: 'WithdrawPrompt', promptId: 'p2' })).toEqual([]);
    scene.rejects({ type: 'WithdrawPrompt', promptId: 'p1' }, 'prompt_already_started');
    scene.rejects({ type: 'WithdrawPrompt', promptId: 'p9' }, 'prompt_not_found');
  });
});

describe('rewinding', () => {
  it('moves the head before or after a message, and restore brings it back even after new prompts', () => {
    const scene = session();
    turn(scene, 1);
    turn(scene, 2);
    scene.when({ type: 'Rewind', rewindId: 'w', target: { before: 'm2' }, reason: 'why' });
    expect(uuidsOnPath(scene)).toEqual(['m1', 'a-r1']);
    expect(scene.state.rewinds.get('w')?.data.removed).toEqual(['m2', 'a-r2']);
    turn(scene, 3);
    expect(uuidsOnPath(scene)).toEqual(['m1', 'a-r1', 'm3', 'a-r3']);
    scene.rejects({ type: 'Rewind', rewindId: 'v', target: { after: 'm2' }, reason: null }, 'message_not_on_path');
    scene.when({ type: 'Restore', rewindId: 'w' });
    expect(uuidsOnPath(scene)).toEqual(['m1', 'a-r1', 'm2', 'a-r2']);
    scene.rejects({ type: 'Restore', rewindId: 'nope' }, 'rewind_not_found');
  });

  it('can go back to the start, and is rejected while a turn runs', () => {
    const scene = session();
    turn(scene, 1);
    scene.when({ type: 'Rewind', rewindId: 'w', target: { before: 'm1' }, reason: null });
    expect(scene.state.head).toBeNull();
    scene.when({ type: 'Restore', rewindId: 'w' });
    scene.when(submit(2));
    scene.rejects({ type: 'Rewind', rewindId: 'v', target: { before: 'm1' }, reason: null }, 'session_busy');
  });

  it('gives back the permission mode of that point', () => {
    const scene = session();
    turn(scene, 1);
    scene.when({ type: 'ConfigureSession', changes: { permissionMode: 'bypassPermissions' } });
    scene.when({ type: 'Rewind', rewindId: 'w', target: { before: 'm1' }, reason: null });
    expect(scene.state.settings.permissionMode).toBe('default');
  });
});
