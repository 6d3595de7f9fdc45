import { expect, it } from '@jest/globals';
import { assistant, call, contextOf, conversation, runPass, turn } from '../../../test/support/normalize/build.js';
import { offeredTools } from '../offered-tools.js';
import { stripInternalInputs } from './strip-internal-inputs.js';

const object = (properties: readonly string[], additionalProperties?: boolean) => ({
  type: 'object',
  properties: Object.fromEntries(properties.map((name) => [name, {}])),
  ...(additionalProperties === undefined ? {} : { additionalProperties }),
});
const context = (tools: Readonly<Record<string, ReturnType<typeof object>>>) => ({
  ...contextOf(),
  tools: offeredTools(Object.entries(tools).map(([name, input_schema]) => ({ name, input_schema }))),
});
const sent = (name: string, input: object, tools: Readonly<Record<string, ReturnType<typeof object>>>) =>
  runPass(stripInternalInputs, conversation(assistant('m', [call('a', input, name)])), context(tools));

it.each([
  ['internal members of a known tool', 'ExitPlanMode', { plan: 'p', planFilePath: '/p' }, {}, call('a', {}, 'ExitPlanMode')],
  ['members that a closed schema does not declare', 'Look', { at: 1, extra: 2 }, { Look: object(['at'], false) }, call('a', { at: 1 }, 'Look')],
  ['an earlier name of an offered tool', 'ExitPlanModeV2', { plan: 'p' }, { ExitPlanMode: object([], false) }, call('a', {}, 'ExitPlanMode')],
])('replaces %s', (_what, name, input, tools, expected) => {
  const ran = sent(name, input, tools);
  expect(ran.messages).toEqual([turn('assistant', expected)]);
  expect(ran).toMatchObject({ isIdempotent: true, trace: [['changed', '0.0', '0.0']] });
});

it.each([
  ['members that the offered tool declares', 'ExitPlanMode', { plan: 'p' }, { ExitPlanMode: object(['plan'], false) }],
  ['members of an open schema', 'Look', { at: 1, extra: 2 }, { Look: object(['at']) }],
  ['members of a tool that is not offered', 'Look', { extra: 2 }, {}],
  ['an earlier name that is offered itself', 'Task', {}, { Task: object([]), Agent: object([]) }],
])('keeps %s', (_what, name, input, tools) => {
  expect(sent(name, input, tools).isSame).toBe(true);
});
