import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ContentBlock } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { appendMessage } from '../state/evolve-turn.js';
import { emptyState, type SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { PathIndex } from './path-index.js';
import { readTranscript, splitBlocks } from './transcript.js';

const KINDS = ['text', 'several', 'answer', 'meta', 'result', 'hidden', 'notice', 'empty'] as const;

/** Append a message of a kind, or move the head to one of the messages (or before the first). */
const step = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...KINDS) }, { weight: 1, arbitrary: fc.nat(60) });

it('pages equal those of the whole list after any append and any move of the head', () => {
  const options = fc.record({ view: fc.constantFrom('transcript', 'full'), split: fc.boolean(), after: fc.nat(40), limit: fc.integer({ min: 1, max: 12 }) });
  fc.assert(
    fc.property(fc.array(fc.tuple(step, options), { maxLength: 60 }), (steps) => {
      const state = emptyState();
      const index = new PathIndex();
      for (const [next, input] of steps) {
        if (typeof next === 'number') state.head = [null, ...state.messages.keys()][next % (state.messages.size + 1)] ?? null;
        else append(state, next);
        const whole = all(state, input as { view: 'transcript' | 'full'; split: boolean });
        const { data, total } = index.page(state, input as Parameters<PathIndex['page']>[1]);
        expect(data).toEqual(whole.slice(input.after, input.after + input.limit));
        expect(total).toBe(whole.length);
      }
    }),
  );
});

function all(state: SessionState, { view, split }: { readonly view: 'transcript' | 'full'; readonly split: boolean }): readonly StoredMessage[] {
  if (view === 'transcript') return readTranscript(state, { split });
  const messages = path(state).map(({ message }) => message);
  return split ? splitBlocks(messages) : messages;
}

function append(state: SessionState, kind: (typeof KINDS)[number]): void {
  const seq = state.messages.size + 1;
  const uuid = `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`;
  const place = { uuid, parentUuid: state.head, timestamp: '' };
  appendMessage(state, { message: { ...place, ...(CONTENT[kind] as object) } as StoredMessage, turnId: null }, seq, { kind: 'user', id: 'u' });
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const result: ContentBlock = { type: 'tool_result', tool_use_id: 't', content: 'r' };
const CONTENT: Readonly<Record<(typeof KINDS)[number], object>> = {
  text: { type: 'user', content: 'a' },
  several: { type: 'user', content: [text('a'), text('b'), text('c')] },
  answer: { type: 'assistant', message: { id: 'm', role: 'assistant', model: 'm', content: [text('a'), text('b')], stop_reason: null } },
  meta: { type: 'user', isMeta: true, content: [text('a'), text('b')] },
  result: { type: 'user', isMeta: true, content: [result, text('b'), result] },
  hidden: { type: 'attachment', attachment: { type: 'skill_listing' } },
  notice: { type: 'system', subtype: 'informational', content: 'n' },
  empty: { type: 'user', content: '' },
};
