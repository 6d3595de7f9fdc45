import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { type MigrationFolder, migrationFolder } from '../support/migration-folder.js';
import { faultsOf, frozen, readReleased } from './frozen.js';

let folder: MigrationFolder;
beforeEach(async () => {
  folder = await migrationFolder();
  await folder.write('1_first', 'SELECT 1;');
  await folder.write('3_third', 'SELECT 3;');
});
afterEach(() => folder.drop());

it('released migrations are as they were released, and each release has rows of its databases', async () => {
  const released = await readReleased('prisma/released.json');
  expect(await faultsOf('prisma/migrations', released)).toEqual([]);
  const rows = (await readdir('test/released/rows')).filter((name) => name.endsWith('.sql')).map((name) => name.slice(0, -'.sql'.length));
  for (const name of rows) expect(released).toHaveProperty([name]);
  const last = Object.keys(released).sort().at(-1);
  if (last !== undefined) expect(rows).toContain(last);
  const versions = /^## \d+\.\d+\.\d+/m.test(await readFile('CHANGELOG.md', 'utf8'));
  if (versions && last === undefined)
    throw new Error('The changelog has a released version, and no migration is frozen: run npm run freeze, and commit what it writes.');
});

it('a released migration that is edited or gone is named, with what to do', async () => {
  const released = await frozen(folder.directory);
  expect(await faultsOf(folder.directory, released)).toEqual([]);
  await folder.write('1_first', 'SELECT 2;');
  await folder.remove('3_third');
  expect(await faultsOf(folder.directory, released)).toEqual([
    expect.stringMatching(/^1_first was released and is edited.*write a new migration: prisma\/migrations/),
    expect.stringMatching(/^3_third was released and is gone.*write a new migration/),
  ]);
});

it('a new migration comes after the released ones', async () => {
  const released = await frozen(folder.directory);
  await folder.write('4_fourth', 'SELECT 4;');
  expect(await faultsOf(folder.directory, released)).toEqual([]);
  await folder.write('2_second', 'SELECT 2;');
  expect(await faultsOf(folder.directory, released)).toEqual([expect.stringMatching(/^2_second comes before 3_third, which was released/)]);
});
