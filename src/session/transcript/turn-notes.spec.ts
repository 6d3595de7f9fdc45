import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answer, AT, prepare, seed, send, session, submit, turn } from '../../../test/support/given-session.js';
import { runs } from '../../../test/support/property-runs.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { emptyState } from '../state/state.js';
import { readTranscript } from './transcript.js';
import { withTurnNotes } from './turn-notes.js';

type Part = 'prompt' | 'text' | 'call' | 'failed call' | 'open call';

/** Messages without a turn, as an import has them. */
function conversation(parts: readonly Part[]): readonly StoredMessage[] {
  const messages: StoredMessage[] = [];
  const add = (message: object): void => {
    messages.push({ uuid: seed(messages.length + 1), parentUuid: messages.at(-1)?.uuid ?? null, timestamp: AT, ...message } as StoredMessage);
  };
  const assistant = (...content: object[]): void => add({ type: 'assistant', message: { id: 'x', role: 'assistant', model: 'm', content, stop_reason: null } });
  for (const [n, part] of parts.entries()) {
    if (part === 'prompt') add({ type: 'user', content: 'hello' });
    else if (part === 'text') assistant({ type: 'text', text: 'said' });
    else assistant({ type: 'tool_use', id: `call${n}`, name: n % 2 === 0 ? 'Read' : 'Bash', input: {} });
    if (part === 'call' || part === 'failed call')
      add({ type: 'user', isMeta: true, content: [{ type: 'tool_result', tool_use_id: `call${n}`, content: 'ok', is_error: part === 'failed call' }] });
  }
  return messages;
}

const isNote = ({ type }: StoredMessage): boolean => type === 'tool_use_summary';

describe('notes about calls', () => {
  it('name each call that has its result in exactly one summary, in order, and leave every message where it was', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Part>('prompt', 'text', 'call', 'failed call'), { maxLength: 12 }), (parts) => {
        const messages = conversation(parts);
        const noted = withTurnNotes(messages, emptyState());
        expect(noted.filter((message) => !isNote(message))).toEqual(messages);
        const calls = parts.flatMap((part, n) => (part.endsWith('call') ? [`call${n}`] : []));
        expect(noted.flatMap((message) => (message.type === 'tool_use_summary' ? message.toolUseIds : []))).toEqual(calls);
        const uuids = noted.map(({ uuid }) => uuid);
        expect(new Set(uuids).size).toBe(uuids.length);
        // Stored with them, as in an import, they stay the only ones.
        expect(withTurnNotes(noted, emptyState())).toEqual(noted);
      }),
      runs(300),
    );
  });

  it('are one line for each sequence, which a text or a prompt ends; none while a call has no result', () => {
    const summaries = (...parts: Part[]) =>
      withTurnNotes(conversation(parts), emptyState()).flatMap((message) => (message.type === 'tool_use_summary' ? [message.summary] : []));
    expect(summaries('prompt', 'call', 'call', 'call', 'text')).toEqual(['Called Bash (2 times), Read.']);
    expect(summaries('prompt', 'failed call', 'text', 'call', 'prompt')).toEqual(['Called Bash; 1 failed.', 'Called Bash.']);
    expect(summaries('prompt', 'call', 'open call')).toEqual([]);
  });
});

describe('the duration of a turn', () => {
  it('follows its last message once it has ended, and is gone with it', () => {
    const scene = session();
    turn(scene, 1);
    scene.when(submit(2));
    scene.when(prepare(2));
    const read = () => readTranscript(scene.state, { notes: true }).map((message) => (message.type === 'system' ? message.subtype : message.type));
    expect(read()).toEqual(['user', 'assistant', 'turn_duration', 'user']);
    scene.when(send(scene, 2));
    scene.when(answer(2));
    expect(read()).toEqual(['user', 'assistant', 'turn_duration', 'user', 'assistant', 'turn_duration']);
    const [, last, note] = readTranscript(scene.state, { notes: true });
    expect(note).toMatchObject({ parentUuid: last!.uuid, durationMs: 0, content: 'The turn took 0.0 s.', by: { kind: 'system' } });
    expect(readTranscript(scene.state).some(({ type }) => type === 'system')).toBe(false);
    scene.when({ type: 'Rewind', rewindId: 'r1', target: { before: 'm2' }, reason: null });
    expect(read()).toEqual(['user', 'assistant', 'turn_duration']);
  });
});
