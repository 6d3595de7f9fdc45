import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lexer, type Token, type Tokens, walkTokens } from 'marked';
import type { StoredMessage } from '../packages/protocol/message/message.js';
import { emptyState, type SessionState } from '../src/session/state/state.js';
import { markdownOf } from '../src/session/transcript/markdown/document.js';
import { readerText } from '../src/session/transcript/reader-text.js';
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
  '    ```',
  '      ~~~',
  '\t```',
  '- one',
  '  - two',
  '   1. three',
  '2. four',
  '-\tfive',
  '  ```',
  '>\t```',
  '> - ```',
  '- > ```',
  '* * *',
  '[see]: https://example.com/a',
  '[a',
  'b]: /x',
  '[see]',
];
/** What could be HTML, and what could make it code or not. */
const INLINE = [
  '<img src=x onerror=alert(1)>',
  '<b>',
  '</b>',
  '<!-- -->',
  '<?php ?>',
  '<!X>',
  '`',
  '``',
  '```',
  '\\',
  '\\`',
  '\\<i>',
  ' ',
  ' ',
  'a',
  '|',
  '[',
  ']',
  ']:',
  '](/x',
  '](',
  ')',
  ' "',
  '"',
  'https://a.example/',
  'www.a.example/',
  '<https://a.example/',
  '>',
  'a@b.example',
  '*',
  '**',
  '_',
  '~~',
  '&lt;',
  '&',
  '!',
];
const inline = fc.array(fc.constantFrom(...INLINE), { maxLength: 14 }).map((parts) => parts.join(''));
const texts = fc
  .array(fc.oneof(fc.constantFrom(...LINES, ...MORE), inline), { maxLength: 12 })
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
      const html = all(tokens).flatMap((token) => (token.type === 'html' ? (token as Tokens.HTML).text.split('\n').filter((line) => line !== '') : []));
      expect(tokens.filter(({ type }) => type === 'def')).toEqual([]);
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

/** Also those within others. */
function all(tokens: Token[]): readonly Token[] {
  const found: Token[] = [];
  walkTokens(tokens, (token) => void found.push(token));
  return found;
}

describe('an answer in a Markdown export', () => {
  it.each([
    ['code in a line', 'Use `<div>` and ``<b>`` in [`<a>`](https://example.com/x).'],
    ['code in a list', '1. one\n   - two\n     ```html\n     <p>\n     ```\n2. ```js\n   <b>\n   ```'],
    ['code in a quotation', '> say\n> ```html\n> <p>\n> ```'],
    ['code that contains indented fences', '```\n    ```\n<p>\n```\n\nDone.'],
    ['an address in angle brackets', 'See <https://example.com/a>.'],
  ])('has %s as it was written', (_, written) => {
    expect(answerIn(written)).toBe(written);
  });

  it.each([
    ['HTML in a line', 'see <img src=x> here', 'see &lt;img src=x> here'],
    ['HTML after a backtick of another line', 'a `\n` <b> `', 'a `\n` &lt;b> `'],
    ['HTML after an address, of which a backslash is a part', 'https://example.com/\\<b>', 'https://example.com/&lt;b>'],
    ['HTML beside a backtick in an address', '[a](/x`y) <b> `', '[a](/x`y) &lt;b> `'],
    ['HTML between the cells of a table', '| ` <b> | ` |', '| ` &lt;b> | ` |'],
    ['HTML after what is no fence', 'a\n\n    ```\n<b>', 'a\n\n    \\`\\`\\`\n&lt;b>'],
    ['the target of a link, for all messages', '[see]: https://example.com/a', '\\[see]: https://example.com/a'],
    ['what follows code that its list item cuts off', '- one\n  ```\n  <b>\ntwo <b>', '- one\n  ```\n  <b>\n  ```\ntwo &lt;b>'],
  ])('has %s as text', (_, written, shown) => {
    expect(answerIn(written)).toBe(shown);
  });
});

const answerIn = (written: string): string => exported([assistant('m0', [text(written)])]).replace(/^[^]*\*\n\n([^]*)\n$/, '$1');

function exported(given: readonly Entry[]): string {
  return [...markdownOf(session(given), { thinking: true, names: new Map() })].join('');
}

const TYPES = ['text', 'thinking', 'redacted_thinking', 'image', 'document', 'tool_use', 'tool_result', 'tool_reference', 'server_tool_use'] as const;
const NAMES = [
  'text',
  'thinking',
  'name',
  'id',
  'input',
  'source',
  'url',
  'title',
  'media_type',
  'sha256',
  'bytes',
  'original',
  'tool_use_id',
  'content',
  'is_error',
] as const;
const { json } = fc.letrec<{ json: unknown; block: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, 0, true, '', 'c0', 'text', 'blob'),
    fc.array(tie('json'), { maxLength: 3 }),
    tie('block'),
    fc.dictionary(fc.constantFrom('type', 'sha256', 'url', 'toString', 'toJSON', 'trim', 'length', 'original'), tie('json'), { maxKeys: 3 }),
  ),
  block: fc
    .tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...NAMES), tie('json'), { maxKeys: 6 }))
    .map(([type, members]) => ({ ...members, type })),
}));
const block = fc.tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...NAMES), json)).map(([type, members]) => ({ ...members, type }));

it('every conversation can be read and exported as Markdown, whatever members its blocks have', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), fc.array(block, { maxLength: 4 }), (answer, results) => {
      const given = [user('Go'), assistant('m0', answer as never), user(results as never)];
      for (const { message } of session(given).messages.values()) expect(typeof readerText(message)).toMatch(/string|object/);
      const file = exported(given);
      expect(file).toMatch(/^# Go\n/);
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
