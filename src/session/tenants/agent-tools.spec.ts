import { describe, expect, it } from '@jest/globals';
import { EXIT_PLAN_MODE, MEMORY_TOOL } from '../../../packages/protocol/message/tool-definition.js';
import { agentProblems, unknownTools } from './agent-tools.js';

const OFFERED = [{ name: 'Read' }, { name: 'mcp__demo__echo' }, { name: EXIT_PLAN_MODE }, MEMORY_TOOL];

describe('the tools that an agent names', () => {
  it('are known, or not, or may be those of an MCP server that is away', () => {
    const names = ['Read', 'Reed', 'mcp__demo__echo', 'mcp__demo__ecco', 'mcp__a_b__x', 'mcp__a_bc__x', 'Reed'];
    const problems = [{ source: 'mcp:a b' }, { source: 'builtin' }];
    expect(unknownTools(names, OFFERED, problems)).toEqual({ unknown: ['Reed', 'mcp__demo__ecco', 'mcp__a_bc__x'], unsure: ['mcp__a_b__x'] });
    expect(unknownTools(['Read'], OFFERED, problems)).toEqual({ unknown: [], unsure: [] });
  });

  it('are not those which only a person has in a session', () => {
    expect(unknownTools([EXIT_PLAN_MODE, MEMORY_TOOL.name], OFFERED, []).unknown).toEqual([EXIT_PLAN_MODE, MEMORY_TOOL.name]);
  });

  it('are problems of the agent, which names them; no list and an empty one have none', () => {
    const agent = { description: 'd', prompt: 'p' };
    const agents = {
      critic: { ...agent, tools: ['Reed', 'Grip', 'mcp__gone__x'] },
      reader: { ...agent, tools: ['Read'] },
      all: agent,
      none: { ...agent, tools: [] },
    };
    expect(agentProblems(agents, OFFERED, [{ source: 'mcp:gone' }])).toEqual([
      { source: 'agent:critic', problem: 'names tools that helpers are not offered: Reed, Grip' },
      { source: 'agent:critic', problem: 'names tools of MCP servers whose tools are not known now: mcp__gone__x' },
    ]);
  });
});
