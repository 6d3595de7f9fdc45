import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AT, prepare, Scene, send, SETTINGS, submit } from '../../../test/support/given-session.js';
import type { OpenHelper } from '../../ports/index.js';
import type { Command } from '../../session/state/commands.js';
import { emptyState, type SessionState } from '../../session/state/state.js';
import { HelperWatch } from './helper-watch.js';

/** A helper whose turn runs. */
function running(): Scene {
  const scene = new Scene();
  const parent = { sessionId: 'p', turnId: 'pt', toolUseId: 'c', speaker: 'u', depth: 1, tools: [], requests: 9, tokens: 9 };
  scene.when({ type: 'CreateSession', settings: { ...SETTINGS, tools: [] }, parent });
  scene.when(submit(1));
  scene.when(prepare(1));
  scene.when(send(scene, 1));
  return scene;
}

/** With `count` helpers of which the parent's turn is over, read in pages as the database does. */
function watching(count: number, interrupt: (sessionId: string) => void = () => undefined) {
  const open = Array.from({ length: count }, (_, n): OpenHelper => ({ tenantId: 't', sessionId: `h${String(n).padStart(4, '0')}`, parentId: 'p', runs: true }));
  const scenes = new Map(open.map(({ sessionId }) => [sessionId, running()]));
  const interrupted: string[] = [];
  const ended: string[] = [];
  const clock = { ms: 0, now: () => clock.ms, timestamp: () => AT, uuid: () => '00000000-0000-4000-8000-000000000000' };
  const helpers = {
    open: async (limit: number, after: OpenHelper | null) => open.filter(({ sessionId }) => sessionId > (after?.sessionId ?? '')).slice(0, limit),
    end: async (_: string, sessionId: string) => void ended.push(sessionId),
  };
  const load = async (_: string, id: string): Promise<SessionState> => scenes.get(id)?.state ?? emptyState();
  const execute = async ({ sessionId }: { sessionId: string }, command: Command) => {
    interrupted.push(sessionId);
    interrupt(sessionId);
    scenes.get(sessionId)!.when(command);
  };
  const live = { rank: 0, subscribe: () => () => undefined };
  const given = [helpers, { load }, {}, { execute }, live, clock, { intake: async () => ({}) }] as unknown as ConstructorParameters<typeof HelperWatch>;
  const watch = new HelperWatch(...given);
  watch.start(1_000_000);
  return { watch, clock, open, scenes, interrupted, ended };
}

describe('the watch over helpers', () => {
  let watches: HelperWatch[] = [];
  const watched = (...given: Parameters<typeof watching>) => {
    const made = watching(...given);
    watches.push(made.watch);
    return made;
  };
  beforeEach(() => Logger.overrideLogger(false));
  afterEach(async () => {
    await Promise.all(watches.map((watch) => watch.stop()));
    watches = [];
  });

  it('attends to all that are open in one look, however many there are, and interrupts none again', async () => {
    const { watch, interrupted, ended } = watched(250);
    expect(await watch.look()).toBe(true);
    expect(new Set(interrupted).size).toBe(250);
    expect(await watch.look()).toBe(true);
    expect(interrupted).toHaveLength(250);
    expect(ended).toHaveLength(250);
  });

  it('leaves one that fails alone for longer each time, at most a minute, and attends to the others meanwhile', async () => {
    const { watch, clock, interrupted } = watched(3, (sessionId) => {
      if (sessionId === 'h0001') throw new Error('no luck');
    });
    const pauses: number[] = [];
    for (let last = 0; clock.ms < 300_000; clock.ms += 500) {
      const before = interrupted.length;
      await watch.look();
      if (interrupted.length === before) continue;
      pauses.push(clock.ms - last);
      last = clock.ms;
    }
    expect(interrupted.filter((id) => id !== 'h0001')).toEqual(['h0000', 'h0002']);
    expect(pauses.slice(0, 8)).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  });

  it('interrupts no other turn of the helper than the one for the call', async () => {
    const { watch, scenes } = watched(1, (sessionId) => {
      const scene = scenes.get(sessionId)!; // while the interrupt is on its way, the turn ends, and a user starts another
      scene.when({ type: 'FailTurn', turnId: 't1', error: { code: 'x', message: 'y' }, at: AT, uuid: 'f' });
      scene.when(submit(2));
    });
    await watch.look();
    expect(scenes.get('h0000')!.state.turn).toMatchObject({ turnId: 't2', interruptRequested: false });
  });
});
