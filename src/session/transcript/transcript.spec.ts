import { describe, expect, it } from '@jest/globals';
import { assistant, call, conversation, type Entry, result, system, text, user, uuidAt } from '../../../test/support/normalize/build.js';
import { blockUuid } from '../../../packages/protocol/message/ids.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { emptyState, type RewindRecord, type SessionState } from '../state/state.js';
import { readTranscript, splitBlocks } from './transcript.js';
import { contextEntries } from '../payload/conversation.js';

/** A session whose messages hang one below the other, or below the parent that an entry names. */
function session(...entries: readonly Entry[]): SessionState {
  const state = emptyState();
  for (const message of conversation(...entries) as readonly StoredMessage[]) {
    state.messages.set(message.uuid, {
      message,
      seq: state.messages.size + 1,
      depth: state.messages.size,
      turnId: null,
      promptId: null,
      files: null,
      userId: null,
    });
    state.head = message.uuid;
  }
  return state;
}

function rewind(state: SessionState, rewindId: string, to: string | null, removed: readonly string[]): void {
  const data = { rewindId, from: state.head, to, removed, permissionMode: 'default', reason: null } as RewindRecord['data'];
  state.rewinds.set(rewindId, { seq: state.rewinds.size, data, at: '2000-01-02T00:00:00.000Z', by: 'ada', restoredAt: null });
  state.head = to;
}

const uuids = (messages: readonly StoredMessage[]) => messages.map(({ uuid }) => uuid);
const at = (...indexes: readonly number[]) => indexes.map(uuidAt);

describe('the transcript', () => {
  it('is the path to the head, or to another one', () => {
    const state = session(user('p'), assistant('m', [text('a')]), user('q'), { ...user('r'), parentUuid: uuidAt(1) });
    expect(uuids(contextEntries(state))).toEqual(at(0, 1, 3));
    expect(uuids(contextEntries(state, uuidAt(2)))).toEqual(at(0, 1, 2));
    expect(contextEntries(state, null)).toEqual([]);
  });

  it('begins at the last compaction; readers see what was before it', () => {
    const state = session(user('p'), system('compact_boundary', ''), user('summary'), system('compact_boundary', ''), user('newer summary'), user('q'));
    expect(uuids(contextEntries(state))).toEqual(at(3, 4, 5));
    expect(uuids(readTranscript(state))).toEqual(at(0, 1, 2, 3, 4, 5));
  });
});

describe("the reader's view", () => {
  it('leaves out what is meant for the model alone', () => {
    expect(uuids(readTranscript(session(user('p'), user('body', { isMeta: true }), user('note', { isVirtual: true }))))).toEqual(at(0, 2));
  });

  it('shows the results in messages for the model, under the uuids of the full list when split', () => {
    const state = session(
      user('p'),
      assistant('m', [call('t')]),
      user([result('t', 'ok'), text('body of a skill')], { isMeta: true }),
      user([text('x'), result('t', 'again')], { isMeta: true }),
    );
    const [, , shown, other] = readTranscript(state);
    expect(shown).toMatchObject({ uuid: uuidAt(2), content: [{ type: 'tool_result' }] });
    expect(shown).not.toHaveProperty('isMeta');
    expect(other).toMatchObject({ content: [{ type: 'tool_result' }] });
    expect(uuids(readTranscript(state, { split: true })).slice(-2)).toEqual([blockUuid(uuidAt(2), 0), blockUuid(uuidAt(3), 1)]);
  });

  it('shows what rewinds took out, where they cut', () => {
    const state = session(user('p'), assistant('m', [text('a')]), user('q'));
    rewind(state, 'first', uuidAt(1), at(2));
    expect(readTranscript(state, { tombstones: true }).slice(1)).toEqual([
      expect.objectContaining({ uuid: uuidAt(1) }),
      { type: 'tombstone', uuid: 'first', parentUuid: uuidAt(1), timestamp: '2000-01-02T00:00:00.000Z', removed: at(2), by: { kind: 'user', id: 'ada' } },
    ]);
    rewind(state, 'second', null, at(0, 1));
    expect(uuids(readTranscript(state, { tombstones: true }))).toEqual(['second']);
    expect(readTranscript(state)).toEqual([]);
    state.head = uuidAt(2);
    expect(uuids(readTranscript(state, { tombstones: true }))).toEqual(at(0, 1, 2));
  });

  it('gives each part of a split message the paste number of its own image', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } } as const;
    const parts = splitBlocks(readTranscript(session({ ...user([image, text('see [Image #2] [Image #5]'), image, image]), imagePasteIds: [2, 5] })));
    expect(parts.map((part) => (part.type === 'user' ? part.imagePasteIds : null))).toEqual([undefined, undefined, [2], [5]]);
  });

  it('splits messages into blocks, under uuids that never change', () => {
    const content = [text('a'), call('x'), call('y')];
    const split = readTranscript(session(user('p'), assistant('m', content), user([result('x'), result('y')]), user('q')), { split: true });
    const parts = [0, 1, 2].map((index) => blockUuid(uuidAt(1), index));
    expect(uuids(split)).toEqual([uuidAt(0), ...parts, blockUuid(uuidAt(2), 0), blockUuid(uuidAt(2), 1), uuidAt(3)]);
    expect(split.slice(1, 4).map((message) => message.type === 'assistant' && message.message.content)).toEqual(content.map((block) => [block]));
    expect(split.map(({ parentUuid }) => parentUuid)).toEqual([null, ...uuids(split).slice(0, -1)]);
  });
});
