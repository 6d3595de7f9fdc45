// `npm run documents`: rewrites what is generated from the schemas of the routes and events, after `npm run compile`.
import { readFile, writeFile } from 'node:fs/promises';
import { eventsDocument } from '../dist/src/http/documents/events-document.js';
import { routesOf, withRights } from '../dist/src/http/documents/rights-table.js';
import { EVENTS } from '../dist/packages/protocol/events/events.js';
import { Edge } from '../dist/test/http/support/edge.js';
import { clientTypes } from './client-types.mjs';
import { skeletonRules } from './skeleton-rules.mjs';

const edge = await Edge.start();
const document = await (await fetch(`${edge.url}/openapi.json`)).json();
await edge.stop();

await writeFile(new URL('../docs/events.md', import.meta.url), eventsDocument());
const people = new URL('../docs/people.md', import.meta.url);
await writeFile(people, withRights(await readFile(people, 'utf8'), routesOf(document)));
await writeFile(new URL('../clients/typescript/src/api.ts', import.meta.url), await clientTypes(document));

await writeFile(new URL('../prisma/functions/skeleton_rules.sql', import.meta.url), skeletonRules(EVENTS));
