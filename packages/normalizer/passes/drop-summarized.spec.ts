import { describe, expect, it } from '@jest/globals';
import { assistant, conversation, runPass, system, text, user, uuidAt, view } from '../../../test/support/normalize/build.js';
import { readMessages } from '../plain-message.js';
import { dropSummarized } from './drop-summarized.js';

const boundary = (compactMetadata: object = {}) => ({ ...system('compact_boundary', 'compacted'), compactMetadata });
const summary = user('the summary', { isMeta: true, isCompactSummary: true });
const old = [user('old'), assistant('m1', [text('old answer')])];
const textsOf = (messages: Parameters<typeof view>[0]) =>
  view(messages).payload.messages.flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text.trim() : block.type)));

describe('drop-summarized', () => {
  it('removes what a compaction summarized, and traces it', () => {
    const ran = runPass(dropSummarized, conversation(...old, boundary(), summary, user('new')));
    expect(ran.messages.map(({ kind }) => kind)).toEqual(['system', 'user', 'user']);
    expect(ran).toMatchObject({
      isIdempotent: true,
      trace: [
        ['dropped', '0.0', null],
        ['dropped', '1.0', null],
      ],
    });
  });

  it('sends the turns that the compaction kept after its summary', () => {
    const kept = boundary({ keptFrom: uuidAt(2), keptAfter: uuidAt(5) });
    const messages = conversation(...old, user('kept'), assistant('m2', [text('kept answer')]), kept, summary, user('new'));
    expect(textsOf(messages)).toEqual(['the summary', 'kept', 'kept answer', 'new']);
  });

  it('applies to messages of a caller, whose boundaries keep their metadata', () => {
    const kept = boundary({ keptFrom: uuidAt(2), keptAfter: uuidAt(5) });
    const messages = conversation(...old, user('kept'), assistant('m2', [text('kept answer')]), kept, summary, user('new'));
    expect(textsOf(readMessages(JSON.parse(JSON.stringify(messages))))).toEqual(['the summary', 'kept', 'kept answer', 'new']);
  });

  it('leaves a conversation that begins with its compaction unchanged', () => {
    expect(runPass(dropSummarized, conversation(boundary(), summary, user('new'))).isSame).toBe(true);
  });
});
