import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { syntaxErrorAt } from '../../src/http/body/json-error.js';
import { parseJson } from '../../src/http/body/json-text.js';

const LIMITS = { maxDepth: 200, maxValues: 50_000, maxTextBytes: 4_000_000 };

describe('reading JSON', () => {
  const bytes = (text: string): Buffer => Buffer.from(text);

  it('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!text.includes('__proto__'));
        expect(parseJson(bytes(text), LIMITS)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('finds a fault exactly where JSON.parse finds one', () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"a"', '\\', '\\u12', '1', '-', '.5', 'e3', 'true', 'nul', ' ', '\n', '\u0000', 'é');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const at = syntaxErrorAt(text);
        expect(at === text.length && isJson(text)).toBe(isJson(text));
        // Up to the fault it could have gone on as JSON.
        if (!isJson(text)) expect(syntaxErrorAt(text.slice(0, at))).toBe(at);
      }),
      { numRuns: 2_000 },
    );
  });

  it('knows the end of every string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '[', 'a') }), (text) => {
        expect(parseJson(bytes(JSON.stringify([text])), { ...LIMITS, maxDepth: 1 })).toEqual([text]);
      }),
    );
  });
});
