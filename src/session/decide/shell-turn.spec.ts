import { describe, expect, it } from '@jest/globals';
import { interrupt, finishInterrupt } from '../../../test/support/calls.js';
import { AT, type Scene, session, submission, submit, uuidsOnPath } from '../../../test/support/given-session.js';
import { shellInput, shellOutput } from '../prompt/shell.js';
import type { Command } from '../state/commands.js';
import { nextStep } from './next-step.js';

const typed = { ...submission(1, 'ls'), mode: 'bash' as const };
const submitted = (hasShell: boolean): Command => ({ type: 'SubmitPrompt', submission: typed, whenBusy: 'enqueue', maxQueued: 3, hasShell });
const start: Command = { type: 'StartShell', turnId: 't1', name: 'Bash', input: { command: 'ls' } };
const prepared: Command = {
  type: 'PrepareTurn',
  turnId: 't1',
  messages: [shellInput(typed, AT), shellOutput({ text: 'a', isError: false }, 'out', AT)],
  hookRuns: [],
  callsModel: false,
  checkpoints: [],
};

function started(): Scene {
  const scene = session();
  scene.when(submitted(true));
  return scene;
}

const said = (scene: Scene): readonly unknown[] =>
  uuidsOnPath(scene).map((uuid) => {
    const message = scene.state.messages.get(uuid)?.message;
    return message && 'content' in message ? message.content : null;
  });

describe('a turn of bash mode', () => {
  it('is rejected without a shell', () => {
    session().rejects(submitted(false), 'tool_unavailable');
  });

  it('waits in the queue like any other', () => {
    const scene = session();
    scene.when(submit(2));
    expect(scene.types(submitted(true))).toEqual(['prompt.submitted', 'prompt.queued']);
  });

  it('puts on record that it runs, then what came of it, and asks no model', () => {
    const scene = started();
    expect(scene.when(start)).toEqual([{ type: 'tool.started', data: { turnId: 't1', toolUseId: 'p1', name: 'Bash', input: { command: 'ls' } } }]);
    expect(scene.types(prepared)).toEqual(['message.appended', 'message.appended', 'turn.prepared', 'turn.completed']);
    expect(said(scene)).toEqual(['<bash-input>ls</bash-input>', '<bash-stdout>a</bash-stdout>']);
    expect(scene.state.messages.get('m1')?.promptId).toBe('p1');
    expect(scene.state.turn).toBeNull();
  });

  it('is told by a second worker that it ran already', () => {
    const scene = started();
    scene.when(start);
    expect(scene.when(start)).toEqual([]);
    expect(nextStep(scene.state, 't1')).toEqual({ kind: 'prepare' });
    scene.when(prepared);
    scene.rejects(start, 'turn_over');
  });

  it('keeps what there was when it is interrupted', () => {
    const scene = started();
    scene.when(start);
    scene.when(interrupt);
    expect(nextStep(scene.state, 't1')).toEqual({ kind: 'prepare' });
    expect(scene.types(prepared)).toEqual(['message.appended', 'message.appended', 'turn.prepared']);
    expect(nextStep(scene.state, 't1')).toEqual({ kind: 'finish-interrupt' });
    expect(scene.types(finishInterrupt)).toEqual(['message.appended', 'turn.interrupted']);
    expect(said(scene).slice(0, 2)).toEqual(['<bash-input>ls</bash-input>', '<bash-stdout>a</bash-stdout>']);
  });

  it('that is interrupted before it runs does not run, and is shown as what it is', () => {
    const scene = started();
    scene.when(interrupt);
    scene.rejects(start, 'version_conflict');
    expect(nextStep(scene.state, 't1')).toEqual({ kind: 'finish-interrupt' });
    scene.when(finishInterrupt);
    expect(said(scene)[0]).toBe('<bash-input>ls</bash-input>');
  });
});
