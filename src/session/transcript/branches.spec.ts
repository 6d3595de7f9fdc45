import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { appendMessage } from '../state/evolve-turn.js';
import { emptyState, type RewindRecord, type SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { branchesOf } from './branches.js';
import { readerText } from './reader-text.js';
import { asVisible } from './visible.js';

/** Append a text or a message that readers do not see, or rewind to a message of the current conversation (or to its beginning). */
const step = fc.oneof({ weight: 3, arbitrary: fc.boolean() }, { weight: 1, arbitrary: fc.nat(40) });

it('figures are those of the paths, after any appends and moves of the head', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const state = emptyState();
      for (const next of steps) {
        if (typeof next === 'boolean') append(state, next);
        else rewind(state, next);
      }
      const branches = branchesOf(state);
      expect(branches.map(({ isCurrent }) => isCurrent)).toEqual(branches.map((_, index) => state.head !== null && index === branches.length - 1));
      const others = branches.filter(({ isCurrent }) => !isCurrent);
      expect(new Set(others.map(({ tip }) => tip.uuid))).toEqual(abandonedTips(state));
      for (const { tip, isCurrent, messages, forkedAfter, ownMessages, texts, ownTexts, begins, first, insteadOf } of branches) {
        const line = lineTo(state, tip.uuid);
        const compared = isCurrent ? others.map((other) => lineTo(state, other.tip.uuid)) : [lineTo(state, state.head)];
        const shared = line.filter(({ uuid }) => compared.some((other) => other.some((message) => message.uuid === uuid)));
        const own = line.slice(shared.length);
        const textsIn = (all: readonly StoredMessage[]): number => all.filter((message) => readerText(message) !== null).length;
        expect({ messages, forkedAfter, ownMessages, texts, ownTexts }).toEqual({
          messages: line.length,
          forkedAfter: shared.at(-1)?.uuid ?? null,
          ownMessages: own.length,
          texts: textsIn(line),
          ownTexts: textsIn(own),
        });
        expect(begins).toBe(own[0] ?? null);
        expect(first).toBe(own.find((message) => readerText(message) !== null) ?? null);
        const instead = isCurrent ? [] : lineTo(state, state.head).slice(shared.length);
        expect(insteadOf).toBe(instead.find((message) => asVisible(message) !== null) ?? null);
      }
    }),
  );
});

function lineTo(state: SessionState, tip: string | null): readonly StoredMessage[] {
  return tip === null ? [] : path(state, tip).map(({ message }) => message);
}

/** Every message without a follower that is not the head: each of them has been left by a rewind. */
function abandonedTips(state: SessionState): ReadonlySet<string> {
  const parents = new Set(Array.from(state.messages.values(), ({ message }) => message.parentUuid));
  return new Set([...state.messages.keys()].filter((uuid) => !parents.has(uuid) && uuid !== state.head));
}

function append(state: SessionState, isText: boolean): void {
  const seq = state.messages.size + 1;
  const uuid = `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`;
  const message = { type: 'user', uuid, parentUuid: state.head, timestamp: '', content: 'a', isMeta: !isText } as StoredMessage;
  appendMessage(state, { message, turnId: null }, seq, { kind: 'user', id: 'u' });
}

function rewind(state: SessionState, place: number): void {
  const line = lineTo(state, state.head);
  const to = [null, ...line.map(({ uuid }) => uuid)][place % (line.length + 1)] ?? null;
  const rewindId = `rewind ${state.rewinds.size}`;
  const data = { rewindId, from: state.head, to, removed: [], permissionMode: 'default', reason: null } as RewindRecord['data'];
  const at = `2000-01-01T00:00:00.${String(state.rewinds.size).padStart(3, '0')}Z`;
  state.rewinds.set(rewindId, { seq: state.rewinds.size, data, at, by: 'ada', restoredAt: null });
  state.head = to;
}
