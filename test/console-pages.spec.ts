import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { SESSION_VIEWS } from './console/support/views.js';

it('docs/console.md has a row for every view of a session', async () => {
  const page = await readFile('docs/console.md', 'utf8');
  expect(SESSION_VIEWS.filter((view) => !page.includes(`| \`/sessions/ID/${view}\` |`))).toEqual([]);
});
