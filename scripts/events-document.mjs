import { writeFile } from 'node:fs/promises';
import { eventsDocument } from '../dist/src/http/documents/events-document.js';

/** Rewrites docs/events.md from the event schemas. Run it after `npm run build`. */
await writeFile(new URL('../docs/events.md', import.meta.url), eventsDocument());
