import { expect, it } from '@jest/globals';
import type { ToolCall } from '../../src/ports/index.js';
import { PlanTool } from '../../src/engine/tools/plan-tool.js';

const call = (more: Partial<ToolCall>): ToolCall => ({
  ...{
    tenantId: 't',
    sessionId: 's',
    turnId: 'u',
    toolUseId: 'c',
    name: 'ExitPlanMode',
    input: { plan: 'Mend it.' },
    permissionMode: 'plan',
    isApproved: true,
  },
  ...more,
});

it.each([
  ['a person has allowed the call in plan mode', {}, true],
  ['no person has, such as when plan mode is turned on after another mode has allowed the call', { isApproved: undefined }, false],
  ['plan mode is off', { permissionMode: 'bypassPermissions' }, false],
  ['there is no plan', { input: { plan: '\n' } }, false],
] as const)('plan mode is left where %s: %j is %s', async (_, more, isLeft) => {
  const { isError, leavesPlanMode = false } = await new PlanTool().run(call(more as Partial<ToolCall>));
  expect([leavesPlanMode, isError]).toEqual([isLeft, !isLeft]);
});
