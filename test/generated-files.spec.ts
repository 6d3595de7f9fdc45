import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { eventsDocument } from '../src/http/documents/events-document.js';
import { EVENTS } from '../packages/protocol/events/events.js';
import { SESSION_ACTIONS, TENANT_ACTIONS } from '../packages/protocol/access/actions.js';
import { routesOf, withRights } from '../src/http/documents/rights-table.js';
import type { UnknownObject } from './support/client.js';
import { Edge } from './http/support/edge.js';

const committed = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** A line is enough to see what changed: `npm run documents` makes the difference readable. */
function expectSame(file: string, before: string, now: string): void {
  if (before === now) return;
  const lines = before.split('\n');
  const first = now.split('\n').findIndex((line, index) => line !== lines[index]);
  throw new Error(`${file} is old, from line ${first + 1} on: run \`npm run documents\` and commit what it writes.`);
}

describe('generated files', () => {
  let edge: Edge;
  let document: UnknownObject;
  beforeAll(async () => {
    edge = await Edge.start();
    document = (await edge.client.as(null).get('/openapi.json')).body;
  });
  afterAll(() => edge.stop());

  it('docs/events.md is what the event schemas generate', async () => {
    expectSame('docs/events.md', await committed('docs/events.md'), eventsDocument());
  });

  it('the tables of docs/people.md are the table of rights', async () => {
    const page = await committed('docs/people.md');
    expectSame('docs/people.md', page, withRights(page, routesOf(document)));
    for (const action of [...Object.keys(SESSION_ACTIONS), ...Object.keys(TENANT_ACTIONS)]) expect(page).toContain(`| \`${action}\` |`);
  });

  it('the rules of erasures in the database are the skeletons of the events', async () => {
    const { skeletonRules } = (await import(new URL('../../scripts/skeleton-rules.mjs', import.meta.url).href)) as {
      skeletonRules: (events: object) => string;
    };
    expectSame('prisma/functions/skeleton_rules.sql', await committed('prisma/functions/skeleton_rules.sql'), skeletonRules(EVENTS));
  });

  it('the types of the client are what the OpenAPI document generates', async () => {
    const { clientTypes } = (await import(new URL('../../scripts/client-types.mjs', import.meta.url).href)) as {
      clientTypes: (document: object) => Promise<string>;
    };
    expectSame('clients/typescript/src/api.ts', await committed('clients/typescript/src/api.ts'), await clientTypes(document));
  });
});
