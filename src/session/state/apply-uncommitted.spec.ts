import { expect, it } from '@jest/globals';
import { decide } from '../decide/decide.js';
import { fold } from './evolve.js';
import { applyUncommitted } from './apply-uncommitted.js';
import { path } from './tree.js';
import { prepare, session, submit } from '../../../test/support/given-session.js';

it('is the state after the events, and leaves the state before them unchanged', () => {
  const scene = session();
  scene.when(submit(1));
  const before = fold(scene.log);
  const untouched = fold(scene.log);
  const ahead = applyUncommitted(before, decide(prepare(1), before));
  expect(before).toEqual(untouched);
  scene.when(prepare(1));
  const after = fold(scene.log);
  expect(ahead.version).toBe(after.version);
  expect(ahead.head).toBe(after.head);
  expect({ ...ahead.turn, ...{ startedAt: '' } }).toEqual({ ...after.turn, startedAt: '' });
  expect(ahead.turns.get(after.turn!.turnId)).toBe(ahead.turn);
  expect([...ahead.messages.keys()]).toEqual([...after.messages.keys()]);
  expect([...ahead.messages.values()].map(({ message }) => message)).toEqual([...after.messages.values()].map(({ message }) => message));
  expect(ahead.messages.size).toBe(after.messages.size);
  expect(ahead.messages.has(after.head!)).toBe(true);
  expect(before.messages.has(after.head!)).toBe(false);
});

it('leaves out what JSON leaves out', () => {
  const scene = session();
  scene.when(submit(1));
  const before = fold(scene.log);
  const events = decide(prepare(1), before).map((event) =>
    event.type === 'message.appended' ? { ...event, data: { ...event.data, message: { ...event.data.message, absent: undefined, list: [undefined] } } } : event,
  );
  const messages = (from: typeof events) => [...applyUncommitted(before, from).messages.values()].map(({ message }) => message);
  expect(messages(events)).toStrictEqual(messages(JSON.parse(JSON.stringify(events)) as typeof events));
  expect(messages(events).some((message) => 'list' in message && !('absent' in message))).toBe(true);
});

it('walks the messages of a session once, not again for each state that is uncommitted', () => {
  const scene = session();
  const { state } = scene;
  for (let at = 0; at < 100; at += 1) {
    const message = { type: 'user', uuid: `u${at}`, parentUuid: state.head, timestamp: '', content: 'hello' } as const;
    scene.append({ type: 'message.appended', data: { message, turnId: null } });
  }
  const get = state.messages.get.bind(state.messages);
  let reads = 0;
  state.messages.get = (uuid) => {
    reads += 1;
    return get(uuid);
  };
  expect(path(applyUncommitted(state, []))).toHaveLength(100);
  expect(reads).toBeGreaterThanOrEqual(100);
  reads = 0;
  expect(path(applyUncommitted(state, []))).toHaveLength(100);
  expect(reads).toBe(0);
});
