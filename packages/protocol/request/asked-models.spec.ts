import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { askedModels } from './asked-models.js';

const added = (definition: string): string =>
  `{"model":"a","messages":[{"role":"system","content":[{"type":"tool_addition","tool":{"definition":${definition}}}]}]}`;

describe('the models that a request names', () => {
  it.each([
    ['{"model":"a","messages":[{"role":"user","content":"{\\"model\\":\\"no\\"}"}]}', ['a']],
    [' {"messages":[],"mod\\u0065l" : "b" }', ['b']],
    ['{"Model":"a"}', ['a']],
    ['{"model":null}', ['']],
    ['{"messages":[]}', ['']],
    ['{"model":"a","fallbacks":"default"}', ['a', 'default']],
    ['{"model":"a","fallbacks":[{"model":"b"},"c"],"tools":[{"type":"advisor","model":"d"},{"name":"x","input_schema":{"model":"no"}}]}', ['a', 'b', 'c', 'd']],
    [added('{"type":"advisor","model":"b"}'), ['a', 'b']],
    [
      '{"model":"a","messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"model":"no"}},{"type":"fallback","from":{"model":"past"}}]}]}',
      ['a'],
    ],
    ['{"requests":[{"custom_id":"1","params":{"model":"a","tools":[{"model":"b"}]}},{"params":{"model":"a"}}]}', ['a', 'b']],
    ['{"requests":[{"params":{"messages":[]}}]}', ['']],
    ['{"agent":{"model":"a"}}', ['']],
    ['[{"model":"a"}]', ['']],
    ['"model"', ['']],
  ])('%s', (text, models) => expect(askedModels(text)).toEqual(models));

  it.each([
    '{"model":"a","mod\\u0065l":"b"}',
    '{"model":"a","MODEL":"b"}',
    '{"tools":[],"tools":[{"model":"b"}]}',
    '{"model":"a","fallbacks":[{"model":"a","model":"b"}]}',
    added('{"model":"a","model":"b"}'),
    `{"fallbacks":[${Array.from({ length: 1_001 }, (_, index) => `"${index}"`).join(',')}]}`,
  ])('are not clear in %s', (text) => {
    expect(() => askedModels(text)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('are found however deep the request is nested', () => {
    const deep = 100_000;
    for (const name of ['params', 'requests', 'tools', 'messages', 'other'])
      expect(askedModels(`${`{"${name}":`.repeat(deep)}1${'}'.repeat(deep - 1)},"model":"a"}`)).toContain('a');
    expect(askedModels(`{"tools":${'['.repeat(deep)}${']'.repeat(deep)},"model":"a"}`)).toEqual(['a']);
  });

  it('are found in any text that is JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (rest, model) => {
        expect(askedModels(`{"system":${rest},"model":${JSON.stringify(model)},"metadata":${rest}}`)).toEqual([model]);
      }),
    );
  });
});
