import { expect, it } from '@jest/globals';
import { contextOf, conversation, result, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectBlocks } from '../../../test/support/normalize/pass-spec.js';
import { DEFAULT_NORMALIZE_GATES } from '../../protocol/gates.js';
import { stripToolReferences } from './strip-tool-references.js';

const reference = (name: string) => ({ type: 'tool_reference', tool_name: name });

it('removes references without tool search', () => {
  expectBlocks('user', stripToolReferences, [result('x', [reference('Read'), text('a')])], [result('x', [text('a')])]);
});

it('keeps references to offered tools with tool search', () => {
  const context = contextOf({ model: 'claude-opus-4-5', gates: { ...DEFAULT_NORMALIZE_GATES, 'tool-search': true }, tools: new Set(['Read']) });
  const messages = conversation(user([result('x', [reference('Read'), reference('Gone')])]));
  expect(runPass(stripToolReferences, messages, context).messages).toEqual([turn('user', result('x', [reference('Read')]))]);
});
