import { it } from '@jest/globals';
import { assistant, call, contextOf } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { DEFAULT_NORMALIZE_GATES } from '../../protocol/gates.js';
import { stripCaller } from './strip-caller.js';

const called = { ...call('a'), caller: { type: 'direct' } };

it('removes the caller of a call', () => {
  expectBlocks('assistant', stripCaller, [called], [call('a')]);
});

it('keeps it with tool search', () => {
  const context = contextOf({ model: 'claude-opus-4-5', gates: { ...DEFAULT_NORMALIZE_GATES, 'tool-search': true }, tools: new Set(['Read']) });
  expectSame(stripCaller, [assistant('m', [called])], context);
});
