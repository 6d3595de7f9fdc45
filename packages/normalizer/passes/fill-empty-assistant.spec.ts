import { expect, it } from '@jest/globals';
import { assistant, conversation, runPass, text, turn, user, view } from '../../../test/support/normalize/build.js';
import { NO_CONTENT } from '../../protocol/message/wire-texts.js';
import type { Pass } from '../pass.js';
import { fillEmptyAssistant } from './fill-empty-assistant.js';
import { dropBlankAssistants } from './drop-blank-assistants.js';

const p = user('p');
const q = user('q');
const U = (...blocks: readonly object[]) => turn('user', ...blocks);
const A = (...blocks: readonly object[]) => turn('assistant', ...blocks);
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };

/** An answer that had a search, which an earlier pass removed. */
const emptied = conversation(p, assistant('m', [search]), q);
const withoutSearch: Pass = {
  ...fillEmptyAssistant,
  apply: (messages, context) => {
    const empty = messages.map((message) => (message.kind === 'assistant' ? { ...message, blocks: [] } : message));
    return fillEmptyAssistant.apply(dropBlankAssistants.apply(empty, context), context);
  },
};

it('gives an emptied answer a placeholder', () => {
  expect(runPass(withoutSearch, emptied).messages).toEqual([U(text('p')), A(text(NO_CONTENT)), U(text('q'))]);
});

it('does not do so at the end of the request', () => {
  expect(runPass(withoutSearch, emptied.slice(0, 2)).messages).toEqual([U(text('p'))]);
});

it('does so for an answer that was stored empty, between other turns', () => {
  const { payload } = view(conversation(p, assistant('m', []), q));
  expect(payload.messages.map(({ role, content }) => [role, content.map((block) => (block as { readonly text: string }).text.trim())])).toEqual([
    ['user', ['p']],
    ['assistant', [NO_CONTENT]],
    ['user', ['q']],
  ]);
});
