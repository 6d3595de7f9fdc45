import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { sha256OfText as sha256 } from '../../../test/support/sha256.js';
import { canonicalDigest, canonicalJson, canonicalMessage, canonicalShape } from './canonical.js';

const marker = { type: 'ephemeral' };

describe('the canonical form of a message', () => {
  it('is JSON with sorted keys, with a text as one block, and has the digest of exactly that text', () => {
    const text = '{"content":[{"text":"Hello","type":"text"}],"role":"user"}';
    expect(canonicalMessage({ role: 'user', content: 'Hello' })).toBe(text);
    expect(canonicalDigest({ role: 'user', content: 'Hello' }, sha256)).toBe(sha256(text));
    expect(sha256(text)).toBe('40132ff52f0b52fba43ae7f048ad5d9641c434cba4f6c95c3c13c44ce57ac822');
  });

  it('is the same with and without cache markers, on blocks and inside of them', () => {
    const inner = { type: 'text', text: 'one' };
    const plain = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [inner] }, inner] };
    const marked = {
      content: [
        { cache_control: marker, content: [{ ...inner, cache_control: marker }], tool_use_id: 't', type: 'tool_result' },
        { ...inner, cache_control: { type: 'ephemeral', ttl: '1h' } },
      ],
      role: 'user',
    };
    expect(canonicalMessage(marked)).toBe(canonicalMessage(plain));
  });

  it('keeps what only has the name of a marker, and all other members', () => {
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'set', input: { cache_control: marker } }] };
    expect(canonicalMessage(call)).toContain('"input":{"cache_control":{"type":"ephemeral"}}');
    expect(canonicalMessage({ role: 'system', content: [], output_config: { effort: 'low' } })).toBe(
      '{"content":[],"output_config":{"effort":"low"},"role":"system"}',
    );
    expect(canonicalMessage({ role: 'system' })).toBe('{"role":"system"}');
  });

  it('distinguishes what is sent differently', () => {
    const one = canonicalMessage({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] });
    expect(one).not.toBe(canonicalMessage({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }] }] }));
    expect(one).not.toBe(canonicalMessage({ role: 'assistant', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] }));
  });

  it('of the system prompt and tools has no markers either', () => {
    const tool = { name: 'Bash', input_schema: { type: 'object', properties: { cache_control: { type: 'string' } } } };
    const plain = canonicalShape({ system: 'Be brief', tools: [tool] });
    expect(canonicalShape({ tools: [{ ...tool, cache_control: marker }], system: [{ type: 'text', text: 'Be brief', cache_control: marker }] })).toBe(plain);
    expect(plain).toContain('"properties":{"cache_control":{"type":"string"}}');
    expect(canonicalShape({ system: [] })).toBe('{"system":[]}');
  });
});

describe('JSON with sorted keys', () => {
  it('has the value of its source and does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
      runs(),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
