import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type MigrationFolder, migrationFolder } from '../support/migration-folder.js';
import { faultsOf, frozen, newestOf, readReleased, type SchemaFolders } from './frozen.js';

let folder: MigrationFolder;
let folders: SchemaFolders;
beforeEach(async () => {
  folder = await migrationFolder();
  await folder.write('1_first', 'SELECT 1;');
  await folder.write('3_third', 'SELECT 3;');
  folders = { migrations: folder.directory, functions: await mkdtemp(path.join(tmpdir(), 'verbatim-functions-')) };
});
afterEach(async () => {
  await folder.drop();
  await rm(folders.functions, { recursive: true });
});

it('released migrations are as they were released, and each release has rows of its databases', async () => {
  const released = await readReleased('prisma/released.json');
  expect(await faultsOf({ migrations: 'prisma/migrations', functions: 'prisma/functions' }, released)).toEqual([]);
  const rows = (await readdir('test/released/rows')).filter((name) => name.endsWith('.sql')).map((name) => name.slice(0, -'.sql'.length));
  for (const name of rows) expect(released.migrations).toHaveProperty([name]);
  const last = newestOf(released);
  if (last !== undefined) expect(rows).toContain(last);
  const versions = /^## \d+\.\d+\.\d+/m.test(await readFile('CHANGELOG.md', 'utf8'));
  if (versions && last === undefined)
    throw new Error('The changelog has a released version, and no migration is frozen: run npm run freeze, and commit what it writes.');
});

it('a released migration that is edited or gone is named, with what to do', async () => {
  const released = await frozen(folders);
  expect(await faultsOf(folders, released)).toEqual([]);
  await folder.write('1_first', 'SELECT 2;');
  await folder.remove('3_third');
  expect(await faultsOf(folders, released)).toEqual([
    expect.stringMatching(/^1_first was released and is edited.*write a new migration: prisma\/migrations/),
    expect.stringMatching(/^3_third was released and is gone.*write a new migration/),
  ]);
});

it('a new migration comes after the released ones', async () => {
  const released = await frozen(folders);
  await folder.write('4_fourth', 'SELECT 4;');
  expect(await faultsOf(folders, released)).toEqual([]);
  await folder.write('2_second', 'SELECT 2;');
  expect(await faultsOf(folders, released)).toEqual([expect.stringMatching(/^2_second comes before 3_third, which was released/)]);
});

it('functions that have changed since the release need a newer migration, by which builds are compared', async () => {
  const released = await frozen(folders);
  await writeFile(path.join(folders.functions, 'shout.sql'), 'SELECT 1;');
  expect(await faultsOf(folders, released)).toEqual([expect.stringMatching(/^prisma\/functions has changed since 3_third was released.*Add a migration/)]);
  await folder.write('4_fourth', '-- shout is new\n');
  expect(await faultsOf(folders, released)).toEqual([]);
});
