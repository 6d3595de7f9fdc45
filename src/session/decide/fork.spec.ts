import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AT, prepare, Scene, SETTINGS, session, submit, turn, uuidsOnPath } from '../../../test/support/given-session.js';
import { evolve } from '../state/evolve.js';
import { decide } from './decide.js';
import { defaultForkPoint, forkSettings, inherited, requireForkPoint } from './fork.js';
import { bound } from '../state/helper.js';
import { emptyState } from '../state/state.js';
import { path } from '../state/tree.js';
import type { ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';

const FROM = { sessionId: 's', at: 'a-r1', seq: 9, headHash: 'h' };

describe('what a fork continues from', () => {
  it('is the branch down to its point, with prompts and requestPrefixes, whatever the session does later', () => {
    const scene = session();
    turn(scene, 1);
    const before = inherited(scene.state, FROM);
    turn(scene, 2);
    scene.when({ type: 'Rewind', rewindId: 'w', target: { before: 'm1' }, reason: null });
    turn(scene, 3);
    const after = inherited(scene.state, FROM);
    expect(after).toEqual(before);
    expect([...after.messages.keys()]).toEqual(['m1', 'a-r1']);
    expect([...after.prompts.keys()]).toEqual(['p1']);
    expect([...after.requestPrefixes.keys()]).toEqual(['r1']);
    expect(after).toMatchObject({ head: 'a-r1', version: 0, requests: new Map(), rewinds: new Map(), turn: null, lastSent: null });
    expect(() => inherited(scene.state, { at: 'nowhere' })).toThrow('is not a message of the parent session');
  });

  it('has the limits of the helper that it comes from, however often it is forked, and none otherwise', () => {
    const call = fc.record({ depth: fc.integer({ min: 1, max: 9 }), tools: fc.uniqueArray(fc.constantFrom('Read', 'Write', 'Bash')) });
    fc.assert(
      fc.property(fc.option(call), fc.integer({ min: 1, max: 4 }), (given, forks) => {
        const parent = given && { ...given, sessionId: 'p', turnId: 'pt', toolUseId: 'c', speaker: 'u', requests: 9, tokens: 9 };
        const scene = new Scene();
        scene.when({ type: 'CreateSession', settings: SETTINGS, ...(parent ? { parent } : {}) });
        let state = scene.state;
        for (let n = 0; n < forks; n += 1) {
          state = inherited(state, { at: null });
          const from = { ...FROM, at: null };
          const [created] = decide(
            { type: 'CreateSession', settings: SETTINGS, fork: { from, opening: { messages: 0, firstText: null, lastText: null }, serverTools: [] } },
            emptyState(),
          );
          evolve(state, { ...created!, id: 'x', seq: 1, time: AT, sessionId: `f${n}`, actor: { kind: 'user', id: 'u2' } });
        }
        expect(state.parent).toBeNull(); // it is no helper
        expect(bound(state)).toEqual(parent);
      }),
    );
  });

  it('is not changed by what the fork does', () => {
    const scene = session();
    turn(scene, 1);
    const log = JSON.stringify([...scene.state.messages]);
    const state = inherited(scene.state, FROM);
    const events = decide(
      {
        type: 'CreateSession',
        settings: SETTINGS,
        fork: { from: FROM, opening: { messages: 0, firstText: null, lastText: null }, serverTools: [{ name: 'Bash' } as ToolDefinition] },
      },
      emptyState(),
    );
    expect(events.map(({ type }) => type)).toEqual(['session.created', 'session.forked', 'session.tools_changed']);
    events.forEach((event, index) => evolve(state, { ...event, id: `${index}`, seq: index + 1, time: AT, sessionId: 'f', actor: { kind: 'user', id: 'u2' } }));
    expect(state).toMatchObject({ forkedFrom: FROM, ownerId: 'u2', serverTools: [{ name: 'Bash' }], sessionStart: 'resume' });
    expect(path(state)).toHaveLength(2);
    for (const command of [submit(7), prepare(7)]) {
      for (const event of decide(command, state))
        evolve(state, { ...event, id: 'x', seq: state.version + 1, time: AT, sessionId: 'f', actor: { kind: 'user', id: 'u2' } });
    }
    expect(path(state).map(({ message }) => message.uuid)).toEqual(['m1', 'a-r1', 'm7']);
    expect(JSON.stringify([...scene.state.messages])).toBe(log);
    // Folded onto nothing, it would lose what it shares without a word.
    expect(() => evolve(emptyState(), { ...events[0]!, id: 'x', seq: 1, time: AT, sessionId: 'f', actor: { kind: 'user', id: 'u2' } })).toThrow('is a fork');
  });

  it('ends before the running turn by default', () => {
    const scene = session();
    expect(defaultForkPoint(scene.state)).toBeNull();
    turn(scene, 1);
    expect(defaultForkPoint(scene.state)).toBe('a-r1');
    scene.when(submit(2));
    expect(defaultForkPoint(scene.state)).toBe('a-r1');
    scene.when(prepare(2));
    expect(defaultForkPoint(scene.state)).toBe('a-r1');
    expect(uuidsOnPath(scene).at(-1)).toBe('m2');
  });

  it('has the permission mode of its point', () => {
    const scene = new Scene();
    scene.when({ type: 'CreateSession', settings: { ...SETTINGS, title: 'one' } });
    turn(scene, 1);
    scene.when({ type: 'ConfigureSession', changes: { permissionMode: 'plan' } });
    expect(forkSettings(scene.state, 'a-r1', null)).toMatchObject({ permissionMode: 'plan', title: 'one' });
    expect(forkSettings(scene.state, 'm1', 'two')).toMatchObject({ permissionMode: 'default', title: 'two' });
    expect(() => requireForkPoint(scene.state, 'a-r1')).not.toThrow();
  });
});
