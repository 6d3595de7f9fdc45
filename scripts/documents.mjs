// `npm run documents`: rewrites what is generated from the schemas of the routes and events, after `npm run compile`.
import { writeFile } from 'node:fs/promises';
import { eventsDocument } from '../dist/src/http/documents/events-document.js';
import { Edge } from '../dist/test/http/support/edge.js';
import { clientTypes } from './client-types.mjs';

const edge = await Edge.start();
const document = await (await fetch(`${edge.url}/openapi.json`)).json();
await edge.stop();

await writeFile(new URL('../docs/events.md', import.meta.url), eventsDocument());
await writeFile(new URL('../clients/typescript/src/api.ts', import.meta.url), await clientTypes(document));
