import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseError } from '../database-error.js';

/** A line of a migration that earlier builds can run with: the newest migration that such a build must have. */
const MIN_BUILD = /^-- min build: (\S+)\s*$/m;

/** A line of a migration whose statements run one by one, outside of a transaction, while the server works. */
const ONLINE = /^-- online\s*$/m;

/** A line before a statement of such a migration, such as an UPDATE of a batch of rows. */
const REPEATS = /^-- repeat while it changes rows\s*$/m;

export interface OnlineStatement {
  readonly sql: string;
  /** Until it changes no row. */
  readonly repeats: boolean;
}

export interface Migration {
  readonly name: string;
  readonly script: string;
  readonly checksum: string;
  /** The newest migration that a build must have to run on the database after this one: its own name, unless it says otherwise. */
  readonly minBuild: string;
  /** Null: the script is one transaction. */
  readonly online: readonly OnlineStatement[] | null;
}

/** In the order of their names, in which they are applied. */
export async function readMigrations(directory: string): Promise<readonly Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(path.join(directory, name, 'migration.sql'));
      const script = bytes.toString('utf8');
      const online = ONLINE.test(script) ? statementsIn(name, script) : null;
      return { name, script, checksum: createHash('sha256').update(bytes).digest('hex'), minBuild: MIN_BUILD.exec(script)?.[1] ?? name, online };
    }),
  );
}

/** Statements are separated by empty lines, and each ends with a semicolon. */
function statementsIn(name: string, script: string): readonly OnlineStatement[] {
  return script.split(/\n[ \t]*\n/).flatMap((paragraph) => {
    const sql = paragraph.replaceAll(/^--.*$/gm, '').trim();
    if (sql === '') return [];
    if (!sql.endsWith(';')) {
      throw new DatabaseError(
        'migration_malformed',
        `Online migration ${name} has a paragraph that does not end with a semicolon: each of its statements is a paragraph. It begins with: ${sql.slice(0, 80)}`,
      );
    }
    return [{ sql, repeats: REPEATS.test(paragraph) }];
  });
}
