import { it } from '@jest/globals';
import { call, image, result, text, thinking } from '../../../test/support/normalize/build.js';
import { expectBlocks } from '../../../test/support/normalize/pass-spec.js';
import { dropUnknownBlocks } from './drop-unknown-blocks.js';

it.each<['user' | 'assistant', string, object[], object[]]>([
  ['user', 'a kind that no user may send', [call('x'), thinking('t'), text('stays')], [text('stays')]],
  ['user', 'a block without its required members', [{ type: 'text' }, { type: 'tool_result' }, { type: 'reasoning' }], []],
  ['assistant', 'a kind that no assistant may send', [result('x', 'a'), image(), text('stays')], [text('stays')]],
])('%s: drops %s', (kind, _what, before, after) => {
  expectBlocks(kind, dropUnknownBlocks, before, after);
});
