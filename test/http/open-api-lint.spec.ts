import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Edge } from './support/edge.js';

/** Rules of the linter beyond its recommended ones, and those that do not fit: the document says why. */
const RULES = {
  'operation-description': 'error',
  'operation-tag-defined': 'error',
  'tag-description': 'error',
  'parameter-description': 'error',
  'operation-parameters-unique': 'error',
  // Sign-in by an identity provider answers with redirects only.
  'operation-2xx-response': 'off',
  // Probes, and keys of the log, take no input and no credentials.
  'operation-4xx-response': 'off',
  // A value that may be any JSON is an empty schema.
  'no-illogical-composition-keywords': 'off',
} as const;

describe('the OpenAPI document', () => {
  it('passes a linter: every operation, parameter and tag is described and declared', async () => {
    const edge = await Edge.start();
    const source = await (await fetch(`${edge.url}/openapi.json`)).text();
    await edge.stop();
    const config = await createConfig({ extends: ['recommended'], rules: RULES });
    const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer].join(' | '))).toEqual([]);
  });
});
