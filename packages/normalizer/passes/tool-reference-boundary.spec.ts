import { expect, it } from '@jest/globals';
import { assistant, call, contextOf, conversation, result, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame } from '../../../test/support/normalize/pass-spec.js';
import { TOOLS_LOADED } from '../placeholders.js';
import { DEFAULT_NORMALIZE_GATES, type NormalizeGate } from '../../protocol/gates.js';
import { toolReferenceBoundary } from './tool-reference-boundary.js';

const gates = (...on: readonly NormalizeGate[]) => ({ ...DEFAULT_NORMALIZE_GATES, ...Object.fromEntries(on.map((gate) => [gate, true])) });
const names = result('x', [{ type: 'tool_reference', tool_name: 'Read' }]);
const search = (...on: readonly NormalizeGate[]) => contextOf({ model: 'claude-opus-4-6', gates: gates('tool-search', ...on), tools: new Set(['Read']) });

it('adds a text after a result that names tools', () => {
  const ran = runPass(toolReferenceBoundary, conversation(user([names, text('q')])), search());
  expect(ran).toMatchObject({ isIdempotent: true, messages: [turn('user', names, text(TOOLS_LOADED), text('q'))], trace: [['added', null, '0.1']] });
});

it('adds nothing with relocation on', () => {
  const entries = [user([names, text('q')]), assistant('m', [call('y')]), user([result('y'), text('r')])];
  expectSame(toolReferenceBoundary, entries, search('tool-reference-relocation'));
});
