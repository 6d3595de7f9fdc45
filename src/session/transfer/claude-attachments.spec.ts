import { describe, expect, it } from '@jest/globals';
import { ClaudeFile, text } from '../../../test/support/claude-file.js';
import { planned } from '../../../test/support/planned-import.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';
import { buildPayload } from '../../../packages/normalizer/build-payload.js';
import { payloadInput } from '../payload/payload-input.js';

/** The texts of the request that an import with one attachment gives. */
function sentTexts(attachment: object, fields: object = {}): readonly string[] {
  const file = new ClaudeFile()
    .user('u1', null, 'first')
    .line('attachment', 'x', 'u1', { attachment, ...fields })
    .piece('a1', 'x', 'm', text('answer'));
  const { state } = planned(file.user('u2', 'a1', 'second').text);
  const { payload } = buildPayload(payloadInput(state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 100, model: 'claude-opus-4-5' }), () => '0'.repeat(64));
  return payload.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.flatMap((block) => (block.type === 'text' && block.text !== 'answer' ? [block.text.trimStart()] : [])),
  );
}

describe('an imported attachment', () => {
  it.each(['prompt_snapshot', 'environment', 'model', 'instructions', 'credential_org', 'kind_of_tomorrow', 'constructor'])(
    'of the unknown kind %s is stored but not sent',
    (type) => {
      expect(sentTexts({ type, content: 'secret', systemPrompt: ['secret'] })).toEqual(['first', 'second']);
      const file = new ClaudeFile().user('u1', null, 'first').line('attachment', 'x', 'u1', { attachment: { type, content: 'secret' } });
      expect(planned(file.text).path[1]).toMatchObject({ type: 'attachment', attachment: { type, content: 'secret' }, isVirtual: true });
    },
  );

  it('of a known kind is rendered by its kind', () => {
    expect(sentTexts({ type: 'date_change', newDate: '2026-10-01' })).toEqual([expect.stringContaining('2026-10-01'), 'first', 'second']);
  });

  it.each(['environment', 'date_change', 'hook_success'])('of kind %s with `rendered` is sent exactly as rendered', (type) => {
    const rendered = [{ content: 'exactly this' }, { content: [{ type: 'text', text: 'and that' }] }];
    expect(sentTexts({ type, newDate: 'not this' }, { rendered })).toEqual(['exactly this', 'and that', 'first', 'second']);
  });

  it('with an empty `rendered` is not sent', () => {
    expect(sentTexts({ type: 'date_change', newDate: '2026-10-01' }, { rendered: [] })).toEqual(['first', 'second']);
  });

  it('rendered in the system role is sent in reminder tags, after its prompt', () => {
    const wrapped = '<system-reminder>\nonce\n</system-reminder>';
    for (const content of ['once', wrapped]) {
      expect(sentTexts({ type: 'environment' }, { rendered: [{ content }], renderedRole: 'system' })).toEqual(['first', wrapped, 'second']);
    }
  });

  it('with a malformed `rendered` is treated as if it had none', () => {
    for (const rendered of ['x', [1], [{}], [{ content: 5 }], [{ content: [{ type: 'tool_use', id: 'x', name: 'n', input: {} }] }]]) {
      expect(sentTexts({ type: 'environment' }, { rendered })).toEqual(['first', 'second']);
    }
  });
});
