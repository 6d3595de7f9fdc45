import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { agentInputSchema, readAgentInput } from './agent-input.js';

describe('the input of a call of Agent', () => {
  it('is read as it was written, and names an agent that there is', () => {
    expect(readAgentInput({ description: ' a ', prompt: '/b' }, [])).toEqual({ value: { description: ' a ', prompt: '/b' } });
    expect(readAgentInput({ description: 'a', prompt: 'b', agent: 'c' }, ['d', 'c'])).toEqual({ value: { description: 'a', prompt: 'b', agent: 'c' } });
    expect(readAgentInput({ description: 'a', prompt: 'b', agent: 'toString' }, ['c'])).toMatchObject({
      fault: expect.stringContaining('agent: must be one of c'),
    });
    expect(readAgentInput({ description: 'a', prompt: 'b', agent: 'c' }, [])).toMatchObject({ fault: expect.stringContaining('there are no agents') });
  });

  it('whatever it is, has a value or a fault', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        const read = readAgentInput(input as never, ['c']);
        expect('fault' in read ? typeof read.fault : typeof read.value.prompt).toBe('string');
      }),
      runs(200),
    );
  });

  it('has a schema with the agents, if there are any', () => {
    expect(agentInputSchema([])).toMatchObject({ required: ['description', 'prompt'], additionalProperties: false });
    expect(Object.keys(agentInputSchema([])['properties'] as object)).toEqual(['description', 'prompt']);
    expect(agentInputSchema(['b', 'a'])).toMatchObject({ properties: { agent: { enum: ['b', 'a'] } } });
  });
});
