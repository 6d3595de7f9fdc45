import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { eventsDocument } from '../src/http/documents/events-document.js';
import { Edge } from './http/support/edge.js';

const committed = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** `npm run documents` rewrites both. */
describe('generated files', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await Edge.start();
  });
  afterAll(() => edge.stop());

  it('docs/events.md is what the event schemas generate', async () => {
    expect(await committed('docs/events.md')).toBe(eventsDocument());
  });

  it('the types of the client are what the OpenAPI document generates', async () => {
    const { clientTypes } = (await import(new URL('../../scripts/client-types.mjs', import.meta.url).href)) as {
      clientTypes: (document: object) => Promise<string>;
    };
    const document = (await edge.client.as(null).get('/openapi.json')).body;
    expect(await committed('clients/typescript/src/api.ts')).toBe(await clientTypes(document));
  });
});
