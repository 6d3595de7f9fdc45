import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { GIVEN_CODE } from './given-code.js';
import { blocksOf, pages, ROOT } from './markdown.js';

const OPTIONS = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--lib',
  'es2023,dom,dom.iterable',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
];
const EXTENSION: Readonly<Record<string, string>> = { ts: 'ts', js: 'ts', tsx: 'tsx' };

it('the examples in TypeScript have the types of the client and of the AI SDK', async () => {
  const examples = (await pages()).flatMap((page) => blocksOf(page).flatMap((block) => (EXTENSION[block.language] ? [{ page, block }] : [])));
  expect(examples.length).toBeGreaterThan(3);
  const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-code-'));
  try {
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    await writeFile(path.join(folder, 'given.d.ts'), GIVEN_CODE);
    const files = examples.map(({ page, block }) => `${page.file.replaceAll('/', '-')}-line-${block.line}.${EXTENSION[block.language]}`);
    await Promise.all(examples.map(({ block }, index) => writeFile(path.join(folder, files[index]!), `${block.text}\nexport {};\n`)));
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const checked = await promisify(execFile)(process.execPath, [compiler, ...OPTIONS, '--types', 'node', '--jsx', 'react-jsx', 'given.d.ts', ...files], {
      cwd: folder,
    }).catch((error: { readonly stdout: string }) => error);
    expect(checked.stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});
