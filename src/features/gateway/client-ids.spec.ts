import { expect, it } from '@jest/globals';
import { clientGroup, parentGroup } from './client-ids.js';

it('a subagent names the conversation or agent that it works for', () => {
  const named = (agent?: string, parent?: string): readonly unknown[] => {
    const headers = { 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': agent, 'x-claude-code-parent-agent-id': parent };
    const group = clientGroup(headers, null);
    return [group, parentGroup(headers, group)];
  };
  expect([named(), named('one'), named('two', 'one'), named(undefined, 'one')]).toEqual([
    ['s', null],
    ['s/one', 's'],
    ['s/two', 's/one'],
    ['s', null],
  ]);
  expect(parentGroup({ 'x-claude-code-agent-id': 'one' }, null)).toBe(null);
});
