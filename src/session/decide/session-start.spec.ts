import { describe, expect, it } from '@jest/globals';
import { prepare, Scene, SETTINGS, submission, submit } from '../../../test/support/given-session.js';
import { COMPACT } from '../compaction/requested.js';
import type { Command } from '../state/commands.js';

const create: Command = { type: 'CreateSession', settings: SETTINGS };

function after(...commands: readonly Command[]): Scene {
  const scene = new Scene();
  for (const command of commands) scene.when(command);
  return scene;
}

describe('what SessionStart hooks are to be told of', () => {
  it('is the start of a session, until its first prompt is prepared', () => {
    const scene = after(create, submit(1));
    expect(scene.state.sessionStart).toBe('startup');
    scene.when(prepare(1, false));
    expect(scene.state.sessionStart).toBeNull();
  });

  it('is that it continues, when it is opened again', () => {
    const scene = after(create, submit(1), prepare(1, false), { type: 'CloseSession', reason: null });
    expect(scene.state.sessionStart).toBeNull();
    scene.when({ type: 'ReopenSession' });
    expect(scene.state.sessionStart).toBe('resume');
  });

  it('is that it was compacted, when it was; a compaction that was none says nothing', () => {
    const compact: Command = { type: 'SubmitPrompt', submission: { ...submission(2, ''), mode: 'compact', route: COMPACT }, whenBusy: 'enqueue', maxQueued: 1 };
    const scene = after(create, submit(1), prepare(1, false), { type: 'CloseSession', reason: null }, { type: 'ReopenSession' }, compact);
    scene.when({ type: 'PrepareTurn', turnId: 't2', messages: [], hookRuns: [], callsModel: false, checkpoints: [] });
    expect(scene.state.sessionStart).toBe('resume');
    const data = {
      compactionId: 'c',
      turnId: 't2',
      requestId: 'r',
      boundary: 'b',
      summary: 's',
      keptFrom: null,
      trigger: 'manual',
      instructions: null,
      omitted: 0,
      preTokens: null,
      summaryTokens: null,
    } as const;
    scene.append({ type: 'session.compacted', data });
    expect(scene.state.sessionStart).toBe('compact');
  });

  it('is that it is empty again, when everything is rewound, and nothing when something is left', () => {
    const scene = after(create, submit(1), prepare(1, false), submit(2), prepare(2, false));
    scene.when({ type: 'Rewind', rewindId: 'one', target: { before: 'm2' }, reason: null });
    expect(scene.state.sessionStart).toBeNull();
    scene.when({ type: 'Rewind', rewindId: 'two', target: { before: 'm1' }, reason: null });
    expect(scene.state.sessionStart).toBe('clear');
  });
});
