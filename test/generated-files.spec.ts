import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { eventsDocument } from '../src/http/documents/events-document.js';

it('docs/events.md is what the event schemas generate; node scripts/events-document.mjs rewrites it', async () => {
  expect(await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8')).toBe(eventsDocument());
});
