import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { eventsDocument } from '../src/http/documents/events-document.js';
import { SESSION_ACTIONS, TENANT_ACTIONS } from '../packages/protocol/access/actions.js';
import { routesOf, withRights } from '../src/http/documents/rights-table.js';
import type { UnknownObject } from './support/client.js';
import { Edge } from './http/support/edge.js';

const committed = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** `npm run documents` rewrites them. */
describe('generated files', () => {
  let edge: Edge;
  let document: UnknownObject;
  beforeAll(async () => {
    edge = await Edge.start();
    document = (await edge.client.as(null).get('/openapi.json')).body;
  });
  afterAll(() => edge.stop());

  it('docs/events.md is what the event schemas generate', async () => {
    expect(await committed('docs/events.md')).toBe(eventsDocument());
  });

  it('the tables of docs/people.md are the table of rights', async () => {
    const page = await committed('docs/people.md');
    expect(page).toBe(withRights(page, routesOf(document)));
    for (const action of [...Object.keys(SESSION_ACTIONS), ...Object.keys(TENANT_ACTIONS)]) expect(page).toContain(`| \`${action}\` |`);
  });

  it('the types of the client are what the OpenAPI document generates', async () => {
    const { clientTypes } = (await import(new URL('../../scripts/client-types.mjs', import.meta.url).href)) as {
      clientTypes: (document: object) => Promise<string>;
    };
    expect(await committed('clients/typescript/src/api.ts')).toBe(await clientTypes(document));
  });
});
