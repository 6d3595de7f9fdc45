import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lexer, type Tokens } from 'marked';
import type { StoredMessage } from '../packages/protocol/message/message.js';
import { emptyState, type SessionState } from '../src/session/state/state.js';
import { markdownOf } from '../src/session/transcript/markdown/document.js';
import { runs } from './support/property-runs.js';
import { assistant, call, conversation, type Entry, result, text, thinking, user } from './support/normalize/build.js';

/** What could end, hide or imitate a part of the file. */
const LINES = [
  '# one',
  '## User: Ada',
  '###### six',
  '   ## three spaces',
  'words',
  '===',
  '---',
  '```',
  '````js',
  '~~~',
  '',
  '<!-- hidden',
  '</details>',
  '<summary>x',
];
const MORE = [
  '<script>',
  '<?x',
  '<![CDATA[',
  '> quote',
  '> ```',
  '- ```',
  '1. ~~~',
  '- item',
  '    code',
  '\t# tab',
  '`',
  '| a |',
  '|---|',
  '[x]: /y',
  '<https://example.com>',
  '\u202E',
];
const texts = fc
  .array(fc.constantFrom(...LINES, ...MORE), { maxLength: 12 })
  .map((lines) => lines.join('\n'))
  .map((one) => (one.trim() === '' ? 'x' : one));

const entries = fc
  .array(
    fc.oneof(
      texts.map((value) => ({ is: 'prompt', value })),
      texts.map((value) => ({ is: 'answer', value })),
      texts.map((value) => ({ is: 'call', value })),
    ),
    { maxLength: 5 },
  )
  .map((parts): readonly Entry[] =>
    parts.flatMap(({ is, value }, index): readonly Entry[] => {
      if (is === 'prompt') return [user(value)];
      if (is === 'answer') return [assistant(`m${index}`, [thinking(value), text(value)])];
      return [assistant(`m${index}`, [call(`c${index}`, { value }, value)]), user([result(`c${index}`, value)])];
    }),
  );

it('nothing that was written ends, hides or imitates a part of a Markdown export', () => {
  fc.assert(
    fc.property(entries, texts, (given, title) => {
      const state = session(given);
      state.settings = { ...state.settings, title };
      const file = [...markdownOf(state, { thinking: true, names: new Map() })].join('');
      const tokens = lexer(file, { gfm: true });
      const outline = tokens.flatMap((token) => (token.type === 'heading' && (token as Tokens.Heading).depth <= 2 ? [(token as Tokens.Heading).depth] : []));
      expect(outline).toEqual([1, ...rolesOf(given).map(() => 2)]);
      const html = tokens.flatMap((token) => (token.type === 'html' ? (token as Tokens.HTML).text.split('\n').filter((line) => line !== '') : []));
      const folds = given.flatMap(({ type, message }) =>
        type === 'assistant' ? (message as { readonly content: readonly { readonly type: string }[] }).content : [],
      );
      const count = folds.filter((block) => block.type === 'tool_use' || block.type === 'thinking').length;
      expect(html.filter((line) => line === '<details>')).toHaveLength(count);
      expect(html.filter((line) => line === '</details>')).toHaveLength(count);
      expect(html.filter((line) => !/^<\/?details>$|^<summary>[^<]*<\/summary>$/.test(line))).toEqual([]);
    }),
    runs(2_000),
  );
});

/** Who speaks, in turn: results of calls are shown with them. */
function rolesOf(given: readonly Entry[]): readonly string[] {
  const roles = given.flatMap(({ type, content }) => (type === 'user' && typeof content !== 'string' ? [] : [type]));
  return roles.filter((role, index) => role !== roles[index - 1]);
}

function session(given: readonly Entry[]): SessionState {
  const state = emptyState();
  for (const message of conversation(...given) as readonly StoredMessage[]) {
    state.messages.set(message.uuid, { message, seq: state.messages.size + 1, depth: state.messages.size, turnId: null, promptId: null, userId: null });
    state.head = message.uuid;
  }
  return state;
}
