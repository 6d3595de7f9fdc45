import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readFunctions } from '../../src/platform/postgres/migrations/functions.js';
import { readMigrations } from '../../src/platform/postgres/migrations/migration-files.js';

/** What was released last, as `npm run freeze` writes it. Migrations that are not in it may still be changed. */
export interface Released {
  /** The checksums of migrations by their names. */
  readonly migrations: Readonly<Record<string, string>>;
  /** One checksum of all functions; null before the first release. */
  readonly functions: string | null;
}

export interface SchemaFolders {
  readonly migrations: string;
  readonly functions: string;
}

export const readReleased = async (file: string): Promise<Released> => JSON.parse(await readFile(file, 'utf8')) as Released;

export const newestOf = ({ migrations }: Released): string | undefined => Object.keys(migrations).sort().at(-1);

/** Of what is not as it was released, what to do. */
export async function faultsOf(folders: SchemaFolders, released: Released): Promise<readonly string[]> {
  const migrations = await readMigrations(folders.migrations);
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const last = newestOf(released) ?? '';
  const edited = Object.entries(released.migrations).flatMap(([name, checksum]) => {
    if (known.get(name) === checksum) return [];
    return `${name} was released and ${known.has(name) ? 'is edited' : 'is gone'}: databases have it as it was. Restore it (git checkout), and write a new migration: prisma/migrations/YYYYMMDDhhmmss_what_changes/migration.sql`;
  });
  const early = migrations.flatMap(({ name }) =>
    name < last && !(name in released.migrations)
      ? `${name} comes before ${last}, which was released: databases that have the later one would get it out of order. Give its folder a later name.`
      : [],
  );
  const isNewer = migrations.some(({ name }) => name > last);
  const isChanged = released.functions !== null && released.functions !== (await checksumOf(folders.functions));
  const unordered =
    isChanged && !isNewer
      ? [
          `prisma/functions has changed since ${last} was released, and no migration is newer: a process of the released build, started beside one of this build, could not tell which functions are newer. Add a migration; a comment and a line "-- min build: ${last}" are enough.`,
        ]
      : [];
  return [...edited, ...early, ...unordered];
}

/** All migrations and functions as they are. */
export async function frozen(folders: SchemaFolders): Promise<Released> {
  const migrations = Object.fromEntries((await readMigrations(folders.migrations)).map(({ name, checksum }) => [name, checksum]));
  return { migrations, functions: await checksumOf(folders.functions) };
}

async function checksumOf(functions: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, digest } of await readFunctions(functions)) hash.update(`${name} ${digest}\n`);
  return hash.digest('hex');
}
