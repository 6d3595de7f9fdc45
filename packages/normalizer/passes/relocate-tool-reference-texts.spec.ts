import { expect, it } from '@jest/globals';
import { assistant, call, contextOf, conversation, result, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame } from '../../../test/support/normalize/pass-spec.js';
import { DEFAULT_NORMALIZE_GATES } from '../../protocol/gates.js';
import { relocateToolReferenceTexts } from './relocate-tool-reference-texts.js';

const gates = { ...DEFAULT_NORMALIZE_GATES, 'tool-search': true, 'tool-reference-relocation': true };
const names = result('x', [{ type: 'tool_reference', tool_name: 'Read' }]);
const context = contextOf({ model: 'claude-opus-4-6', gates, tools: new Set(['Read']) });
const entries = [user([names, text('q')]), assistant('m', [call('y')]), user([result('y'), text('r')])];

it('moves texts after a result that names tools to the next turn of results', () => {
  expect(runPass(relocateToolReferenceTexts, conversation(...entries), context).messages).toEqual([
    turn('user', names),
    turn('assistant', call('y')),
    turn('user', result('y'), text('q'), text('r')),
  ]);
});

it('keeps them where no such turn follows', () => {
  expectSame(relocateToolReferenceTexts, entries.slice(0, 2), context);
});
