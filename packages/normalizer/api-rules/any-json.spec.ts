import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_MODEL, profileFor } from '../models/profiles.js';
import { API_VERSIONS, checkRequest } from './index.js';
import { runs } from '../../../test/support/property-runs.js';

const PROFILE = profileFor(DEFAULT_MODEL);
const BETAS = ['context-management-2025-06-27', 'compact-2026-01-12', 'mcp-client-2025-11-20', 'advisor-tool-2026-03-01'];

describe('checkRequest with arbitrary JSON', () => {
  const profiles = fc.constantFrom(
    ...['claude-haiku-4-5', 'claude-opus-4-6', 'claude-opus-5', 'claude-fable-5-2', 'us.anthropic.claude-opus-4-7-v1:0', 'no-model'].map((model) =>
      profileFor(model),
    ),
  );
  const tagged = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 1 }), tie('block'), fc.array(tie('block'), { maxLength: 3 })),
    block: fc.dictionary(
      fc.constantFrom(
        'type',
        'role',
        'content',
        'source',
        'text',
        'id',
        'tool_use_id',
        'input',
        'data',
        'media_type',
        'is_error',
        'caller',
        'cache_control',
        'ttl',
        'name',
      ),
      fc.oneof(
        fc.constantFrom<unknown>(
          'text',
          'image',
          'document',
          'tool_use',
          'tool_result',
          'thinking',
          'server_tool_use',
          'web_search_tool_result',
          'mcp_tool_use',
          'mcp_tool_result',
          'compaction',
          'clear_thinking_20251015',
          'base64',
          'content',
          'user',
          'assistant',
          'system',
          '',
          true,
          null,
        ),
        tie('value'),
      ),
    ),
  })).value;

  it('never throws and always gives an error message', () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          model: fc.jsonValue(),
          messages: fc.array(tagged),
          tools: fc.array(tagged),
          system: tagged,
          tool_choice: tagged,
          thinking: tagged,
          context_management: fc.record({ edits: fc.array(tagged) }),
          mcp_servers: fc.array(tagged),
        },
        { requiredKeys: [] },
      ),
    );
    const settings = fc.record({ disputedRules: fc.constantFrom<'accept' | 'reject'>('accept', 'reject'), apiVersion: fc.constantFrom(...API_VERSIONS) });
    const property = fc.property(body, profiles, settings, (value, profile, given) => {
      for (const problem of checkRequest(value, profile, { ...given, betas: BETAS })) expect(problem.text).not.toBe('');
    });
    fc.assert(property, runs(1000));
  });

  it.each([
    ['an input', (deep: unknown) => [{ type: 'tool_use', id: 'a', name: 'look', input: { deep } }]],
    ['a result', (deep: unknown) => [{ type: 'tool_result', tool_use_id: 'a', content: [deep] }]],
    ['a block', (deep: unknown) => [deep]],
    ['a document', (deep: unknown) => [{ type: 'document', source: { type: 'content', content: [deep] } }]],
  ])('accepts 10,000 levels of nesting in %s', (_, content) => {
    const nests: readonly ((inner: unknown) => unknown)[] = [
      (inner) => [inner],
      (inner) => ({ type: 'object', properties: { inner } }),
      (inner) => ({ type: 'tool_result', tool_use_id: 'a', content: [inner] }),
      (inner) => ({ type: 'document', source: { type: 'content', content: [inner] } }),
    ];
    for (const nest of nests) {
      let deep: unknown = 'core';
      for (let level = 0; level < 10_000; level += 1) deep = nest(deep);
      const tools = [{ name: 'look', strict: true, input_schema: deep }];
      expect(() => checkRequest({ model: DEFAULT_MODEL, messages: [{ role: 'user', content: content(deep) }], tools, extra: deep }, PROFILE)).not.toThrow();
    }
  });
});
