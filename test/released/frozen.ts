import { readFile } from 'node:fs/promises';
import { readMigrations } from '../../src/platform/postgres/migrations/migration-files.js';

/** The checksums of released migrations by their names, as `npm run freeze` writes them. Migrations that are not in it may still be changed. */
export type Released = Readonly<Record<string, string>>;

export const readReleased = async (file: string): Promise<Released> => JSON.parse(await readFile(file, 'utf8')) as Released;

/** Of each released migration that is not as it was released, what to do. */
export async function faultsOf(directory: string, released: Released): Promise<readonly string[]> {
  const migrations = await readMigrations(directory);
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const last = Object.keys(released).sort().at(-1) ?? '';
  const edited = Object.entries(released).flatMap(([name, checksum]) => {
    if (known.get(name) === checksum) return [];
    return `${name} was released and ${known.has(name) ? 'is edited' : 'is gone'}: databases have it as it was. Restore it (git checkout), and write a new migration: prisma/migrations/YYYYMMDDhhmmss_what_changes/migration.sql`;
  });
  const early = migrations.flatMap(({ name }) =>
    name < last && !(name in released)
      ? `${name} comes before ${last}, which was released: databases that have the later one would get it out of order. Give its folder a later name.`
      : [],
  );
  return [...edited, ...early];
}

/** With the checksums of all migrations. */
export async function frozen(directory: string): Promise<Released> {
  return Object.fromEntries((await readMigrations(directory)).map(({ name, checksum }) => [name, checksum]));
}
