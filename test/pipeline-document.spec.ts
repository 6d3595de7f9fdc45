import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { PASSES } from '../packages/normalizer/passes/index.js';

it('docs/pipeline.md lists the passes, their gates and their order', async () => {
  const document = await readFile(new URL('../../docs/pipeline.md', import.meta.url), 'utf8');
  const rows = [...document.matchAll(/^\| `([a-z-]+)`(?: \[`([a-z-]+)`\])?/gm)].map(([, name, gate]) => ({ name, gate }));
  expect(rows).toEqual(PASSES.map(({ name, gate }) => ({ name, gate })));
});
