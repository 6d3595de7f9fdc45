import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SessionState } from './state.js';
import { calledTool } from './tool-calls.js';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const tools = fc.uniqueArray(fc.record({ name, aliases: fc.uniqueArray(name, { maxLength: 3 }) }, { requiredKeys: ['name'] }), {
  maxLength: 4,
  selector: (tool) => tool.name,
});
const stateOf = (client: unknown, server: unknown) => ({ settings: { tools: client }, serverTools: server }) as unknown as SessionState;

describe('the tool that a call means', () => {
  it('is the one of that name, of the client before the server; only without one an alias counts', () => {
    fc.assert(
      fc.property(tools, tools, name, (client, server, called) => {
        const found = calledTool(stateOf(client, server), called);
        const isNamed = (tool: { readonly name: string }): boolean => tool.name === called;
        if (client.some(isNamed)) expect(found).toEqual({ name: called, runBy: 'client' });
        else if (server.some(isNamed)) expect(found).toEqual({ name: called, runBy: 'server' });
        else {
          const all = [...client, ...server].filter(({ aliases = [] }) => aliases.includes(called));
          expect(found.runBy === 'none').toBe(all.length === 0);
          expect(all.length === 0 ? found.name : all[0]!.name).toBe(found.name);
        }
      }),
    );
  });
});
