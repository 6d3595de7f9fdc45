import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Content } from '../../../packages/protocol/message/content.js';
import { type GatheredPrompt, preparePrompt } from './prepare.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';

const AT = '2030-01-01T00:00:00.000Z';
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const;

const prompt = (content: Content, more: Partial<GatheredPrompt> = {}): GatheredPrompt => ({
  submission: { promptId: 'p', turnId: 't', uuid: 'own', mode: 'prompt', original: 'typed', value: content },
  settings: { permissionMode: 'plan' },
  content,
  files: { blocks: [], notes: [], rejected: null },
  attachments: [],
  expanded: null,
  callsModel: true,
  ...more,
});

const run = (more: Partial<HookRun> = {}): HookRun => ({
  hookRunId: 'h',
  event: 'UserPromptSubmit',
  hook: { type: 'command', command: 'true' },
  input: {},
  outcome: 'success',
  exitCode: 0,
  durationMs: 1,
  stdout: '',
  stderr: '',
  ...more,
});
const start = (more: Partial<HookRun> = {}) => run({ event: 'SessionStart', input: { source: 'startup' }, ...more });

function prepared(given: GatheredPrompt, runs: readonly HookRun[]) {
  let made = 0;
  return preparePrompt(given, runs, { at: AT, uuid: () => `made ${++made}` });
}

const kinds = (messages: readonly Draft[]) =>
  messages.map((message) => (message.type === 'attachment' ? String(message.attachment['hookName'] ?? message.attachment.type) : message.type));

describe('what becomes of a prompt', () => {
  it('is the prompt, then what belongs to it, what hooks add, and what they tell the reader', () => {
    const { messages, callsModel } = prepared(prompt('hello', { attachments: [{ type: 'note' }] }), [
      start({ additionalContext: 'first', systemMessage: 'printBanner' }),
      run({ additionalContext: 'a' }),
      run({ additionalContext: 'b', systemMessage: 'seen' }),
    ]);
    expect(callsModel).toBe(true);
    expect(kinds(messages)).toEqual(['SessionStart:startup', 'user', 'note', 'UserPromptSubmit', 'UserPromptSubmit', 'system', 'system']);
    expect(messages[1]).toEqual({ type: 'user', uuid: 'own', timestamp: AT, content: 'hello', permissionMode: 'plan' });
    expect(messages.slice(5)).toMatchObject([
      { subtype: 'informational', content: 'SessionStart hook: printBanner' },
      { subtype: 'informational', content: 'UserPromptSubmit hook: seen' },
    ]);
  });

  it.each<[string, Content, Content, string]>([
    ['text', 'old', 'new', 'old'],
    ['a block', [{ type: 'text', text: 'old' }], [{ type: 'text', text: 'new' }], 'old'],
    [
      'several blocks and images',
      [IMAGE, { type: 'text', text: 'one' }, IMAGE, { type: 'text', text: 'two' }],
      [IMAGE, { type: 'text', text: 'new' }, IMAGE],
      'one\ntwo',
    ],
    ['an image alone', [IMAGE], [{ type: 'text', text: 'new' }, IMAGE], ''],
  ])('is rewritten: %s', (_name, content, expected, rewrittenFrom) => {
    expect(prepared(prompt(content), [run({ updatedPrompt: 'newer' }), run({ updatedPrompt: 'new' })]).messages).toEqual([
      { type: 'user', uuid: 'own', timestamp: AT, content: expected, permissionMode: 'plan', rewrittenFrom },
    ]);
  });

  it('is not rewritten where a command has replaced it, and says so', () => {
    const expanded: readonly Draft[] = [{ type: 'user', uuid: 'own', timestamp: AT, content: '<command-name>/review</command-name>' }];
    const { messages } = prepared(prompt('/review', { expanded }), [run({ updatedPrompt: 'new' })]);
    expect(messages).toMatchObject([expanded[0]!, { type: 'system', subtype: 'informational', level: 'warning' }]);
  });

  it('is shown to readers, with a warning, when a hook blocks it', () => {
    const { messages, callsModel } = prepared(prompt('hello'), [
      run({ outcome: 'blocked', reason: 'no', additionalContext: 'lost' }),
      start({ additionalContext: 'kept' }),
    ]);
    expect(callsModel).toBe(false);
    expect(kinds(messages)).toEqual(['SessionStart:startup', 'user', 'system']);
    expect(messages[1]).toMatchObject({ uuid: 'own', content: 'hello', isVirtual: true });
    expect(messages[2]).toMatchObject({ subtype: 'hook_blocked', level: 'warning', content: 'A hook blocked this prompt: no' });
  });

  it('stays with its attachments and the context of other hooks when a hook stops the turn', () => {
    const { messages, callsModel } = prepared(prompt('hello', { attachments: [{ type: 'note' }] }), [
      run({ additionalContext: 'before' }),
      run({ outcome: 'prevented', reason: 'enough', updatedPrompt: 'hullo' }),
      run({ additionalContext: 'after', systemMessage: 'seen' }),
    ]);
    expect(callsModel).toBe(false);
    expect(kinds(messages)).toEqual(['user', 'note', 'UserPromptSubmit', 'UserPromptSubmit', 'system', 'system', 'user']);
    expect(messages.map((message) => (message as { content?: unknown }).content)).toEqual([
      'hullo',
      ...[undefined, undefined, undefined],
      'UserPromptSubmit hook: seen',
      'A hook stopped the turn: enough',
      'Operation stopped by hook',
    ]);
  });

  it('is never asked about against a hook, and never lost without a word', () => {
    const runs = fc.array(
      fc.record({
        outcome: fc.constantFrom('success', 'blocked', 'prevented', 'non_blocking_error', 'timeout'),
        event: fc.constantFrom('SessionStart', 'UserPromptSubmit'),
        context: fc.option(fc.string(), { nil: undefined }),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(runs, fc.boolean(), (given, callsModel) => {
        const hookRuns = given.map(({ outcome, event, context }) =>
          run({ outcome: outcome as HookRun['outcome'], event, ...(context === undefined ? {} : { additionalContext: context }) }),
        );
        const found = prepared(prompt('hello', { callsModel }), hookRuns);
        const isStopped = given.some(({ outcome }) => outcome === 'blocked' || outcome === 'prevented');
        expect(found.callsModel).toBe(callsModel && !isStopped);
        const told = found.messages.some((message) => message.uuid === 'own' || (message.type === 'system' && message.subtype === 'hook_blocked'));
        expect(told).toBe(true);
        const contexts = found.messages.filter((message) => message.type === 'attachment').length;
        const isBlocked = given.some(({ outcome }) => outcome === 'blocked');
        const expected = given.filter(({ event, context }) => context !== undefined && (event === 'SessionStart' || !isBlocked)).length;
        expect(contexts).toBe(expected);
      }),
    );
  });
});
