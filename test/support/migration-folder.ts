import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder of migrations that a test makes. */
export interface MigrationFolder {
  readonly directory: string;
  write(name: string, sql: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Another one with the same migrations: an older build, once newer ones are written here. */
  copy(): Promise<MigrationFolder>;
  drop(): Promise<void>;
}

/** `from`: the migrations that it begins with. */
export async function migrationFolder(from?: string): Promise<MigrationFolder> {
  const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-migrations-'));
  if (from !== undefined) await cp(from, directory, { recursive: true });
  return {
    directory,
    write: async (name, sql) => {
      await mkdir(path.join(directory, name), { recursive: true });
      await writeFile(path.join(directory, name, 'migration.sql'), sql);
    },
    remove: (name) => rm(path.join(directory, name), { recursive: true }),
    copy: () => migrationFolder(directory),
    drop: () => rm(directory, { recursive: true, force: true }),
  };
}
