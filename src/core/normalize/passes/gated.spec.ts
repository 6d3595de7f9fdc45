import { describe, expect, it } from '@jest/globals';
import {
  assistant,
  attachment,
  call,
  contextOf,
  conversation,
  type Entry,
  image,
  normalized,
  result,
  runPass,
  text,
  turn,
  user,
  uuidAt,
} from '../../../../test/support/normalize/build.js';
import { blockUuid, shortId } from '../../message/ids.js';
import { RESULT_REJECTED, TOOLS_LOADED } from '../placeholders.js';
import { dropRejectedMedia } from './drop-rejected-media.js';
import { relocateToolReferenceTexts } from './relocate-tool-reference-texts.js';
import { tagMessages } from './tag-messages.js';
import { toolReferenceBoundary } from './tool-reference-boundary.js';
import { DEFAULT_NORMALIZE_GATES, type NormalizeGate } from '../../gates.js';

const gates = (...on: readonly NormalizeGate[]) => ({ ...DEFAULT_NORMALIZE_GATES, ...Object.fromEntries(on.map((gate) => [gate, true])) });
const context = (hookName: string, content: string) => attachment('hook_additional_context', { hookName, content: [content] });
const reminder = (told: string): string => `<system-reminder>\n${told}\n</system-reminder>`;
const told = (name: string, said: string): string => reminder(`${name} hook additional context: ${said}`);

describe('folding reminders', () => {
  const folded = (...blocks: readonly object[]) =>
    normalized(
      conversation(
        user('p'),
        assistant('m', [call('a', {}, 'Skill'), call('b', {}, 'Skill')]),
        context('PreToolUse:Skill', 'before'),
        user(blocks),
        context('PostToolUse:Skill', 'after'),
      ),
      { gates: gates('system-reminder-folding') },
    );

  it('puts what came after a result before what came ahead of it, joined by a blank line', () => {
    const { messages, trace } = folded(result('a', 'one'), result('b', 'Launching skill'), text('# The skill'));
    const [after, before] = [told('PostToolUse:Skill', 'after'), told('PreToolUse:Skill', 'before')];
    expect(messages[2]?.content).toEqual([result('a', 'one'), result('b', `Launching skill\n\n${after}\n\n${before}`), text('# The skill')]);
    expect(trace.filter(({ action }) => action === 'merged').map(({ pass, target }) => [pass, target])).toEqual(
      expect.arrayContaining([
        ['fold-following-reminders', { message: 2, block: 1 }],
        ['fold-remaining-reminders', { message: 2, block: 1 }],
      ]),
    );
  });

  it('keeps blocks apart where there are blocks, and gives a lost result its placeholder first', () => {
    const [after, before] = [told('PostToolUse:Skill', 'after'), told('PreToolUse:Skill', 'before')];
    const { messages, trace } = folded(result('a', [image()]));
    expect(messages[2]?.content).toEqual([result('a', [image(), text(after)]), result('b', `[Tool result missing due to internal error]\n\n${before}`, true)]);
    expect(trace.at(-1)).toMatchObject({ action: 'added', pass: 'pair-tool-results', target: { message: 2, block: 1 } });
  });
});

it('tag-messages names what a person wrote', () => {
  const entries = conversation(user('p'), user('body', { isMeta: true }), user([image(), text('q'), image()]), user([result('x')]));
  expect(runPass(tagMessages, entries)).toMatchObject({
    isIdempotent: true,
    messages: [
      turn('user', text(`p\n[id:${shortId(uuidAt(0))}]`)),
      turn('user', text('body')),
      turn('user', image(), text(`q\n[id:${shortId(uuidAt(2))}]`), image()),
      turn('user', result('x')),
    ],
    trace: [
      ['changed', '0.0', '0.0'],
      ['changed', '2.1', '2.1'],
    ],
  });
});

describe('results that name tools', () => {
  const names = result('x', [{ type: 'tool_reference', tool_name: 'Read' }]);
  const search = (...on: readonly NormalizeGate[]) => contextOf({ model: 'claude-opus-4-6', gates: gates('tool-search', ...on), tools: new Set(['Read']) });

  it('are followed by a text', () => {
    const ran = runPass(toolReferenceBoundary, conversation(user([names, text('q')])), search());
    expect(ran).toMatchObject({ isIdempotent: true, messages: [turn('user', names, text(TOOLS_LOADED), text('q'))], trace: [['added', null, '0.1']] });
  });

  it('or give theirs to the next turn of results, with relocation on', () => {
    const entries = conversation(user([names, text('q')]), assistant('m', [call('y')]), user([result('y'), text('r')]));
    expect(runPass(relocateToolReferenceTexts, entries, search('tool-reference-relocation')).messages).toEqual([
      turn('user', names),
      turn('assistant', call('y')),
      turn('user', result('y'), text('q'), text('r')),
    ]);
    expect(runPass(toolReferenceBoundary, entries, search('tool-reference-relocation')).isSame).toBe(true);
    expect(runPass(relocateToolReferenceTexts, entries.slice(0, 2), search('tool-reference-relocation')).isSame).toBe(true);
  });
});

describe('drop-rejected-media', () => {
  const refused = (apiError: unknown) => assistant('e', [text('refused')], { isApiErrorMessage: true, apiError });
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };
  const left = (...entries: readonly Entry[]) =>
    runPass(dropRejectedMedia, conversation(...entries)).messages.map(({ blocks }) => blocks.map(({ type }) => type));

  it.each([
    [
      'a file that was read for the user, before one the user sent',
      ['pdf_invalid'],
      [user([pdf], { isMeta: true }), user([pdf, text('p')])],
      [['document', 'text']],
    ],
    [
      'the nearest of its kind',
      ['image_too_large'],
      [user([image(), text('p')]), user([image(), pdf, text('q')])],
      [
        ['image', 'text'],
        ['document', 'text'],
      ],
    ],
    ['both kinds, when the request was too large', ['request_too_large'], [user([image(), pdf, text('q')])], [['text']]],
    [
      'another one for a second refusal',
      ['image_too_large', 'image_too_large'],
      [user([image(), text('p')]), user([image(), text('q')])],
      [['text'], ['text']],
    ],
    ['pictures inside a result', ['image_too_large'], [user([result('x', [image(), text('a')])])], [['tool_result']]],
    ['the block that was named', [{ type: 'block_rejected', blockUuid: uuidAt(0), index: 1 }], [user([text('p'), image()])], [['text']]],
    [
      'the block that was named by its own uuid',
      [{ type: 'block_rejected', blockUuid: blockUuid(uuidAt(0), 1), index: 1 }],
      [user([text('p'), image()])],
      [['text']],
    ],
    ['nothing, when nothing is there', ['pdf_too_large'], [user('p')], [['text']]],
    ['nothing of a result with null in it', ['pdf_too_large'], [user([result('x', [null, text('a')])])], [['tool_result']]],
  ])('takes out %s', (_what, refusals, entries, after) => {
    expect(left(...entries, ...refusals.map(refused))).toEqual(after);
  });

  it('takes a single block out of a tool result, and keeps a result that was rejected as a whole with a note', () => {
    const rejected = (inner?: number) => refused({ type: 'block_rejected', blockUuid: uuidAt(0), index: 0, ...(inner === undefined ? {} : { inner }) });
    const first = (...errors: readonly Entry[]) =>
      runPass(dropRejectedMedia, conversation(user([result('x', [text('a'), image(), text('b')])]), ...errors)).messages[0]?.blocks;
    expect(first(rejected(1))).toEqual([result('x', [text('a'), text('b')])]);
    expect(first(rejected(1), rejected(2))).toEqual([result('x', [text('a')])]);
    expect(first(rejected())).toEqual([result('x', RESULT_REJECTED)]);
  });
});
