/**
 * Applies prisma/functions after the migrations: those whose text has changed since they were applied, and those that the database has otherwise than they were applied, in one
 * transaction, under the lock of the migrations. What was applied is the comment of each function in the database: the newest migration of the build that did it, the digest of
 * the file, and that of the definition which Postgres made of it.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg, { type Client } from 'pg';
import { DatabaseError, errorText } from '../database-error.js';

/** One file: the function that it is named after, and its rights. */
export interface SqlFunction {
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

interface Applied {
  readonly name: string;
  readonly build: string;
  readonly digest: string;
  /** The database has it as it was applied. */
  readonly isUnchanged: boolean;
}

const COMMENT = /^verbatim (\S+) ([0-9a-f]{64}) ([0-9a-f]{64})$/;

/** Functions with a comment of ours. Another version of Postgres may write a definition in another way: then all are applied once more, which changes nothing. */
const COMMENTED = `SELECT proname AS name, obj_description(oid, 'pg_proc') AS comment, encode(sha256(convert_to(pg_get_functiondef(oid), 'UTF8')), 'hex') AS definition
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND obj_description(oid, 'pg_proc') LIKE 'verbatim %'`;

/** Records that the functions are applied as the database has them now. */
export const RECORD_DEFINITIONS = `DO $record$
  DECLARE one record;
  BEGIN
    FOR one IN ${COMMENTED} LOOP
      EXECUTE format('COMMENT ON FUNCTION public.%I IS %L', one.name, substring(one.comment FROM '^verbatim \\S+ \\S+') || ' ' || one.definition);
    END LOOP;
  END $record$`;

export async function readFunctions(directory: string): Promise<readonly SqlFunction[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(directory, file), 'utf8');
      return { name: path.basename(file, '.sql'), text, digest: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/**
 * `build`: the newest migration of this build. Functions that a build with a newer one has applied are left as they are: processes of the two run beside each other, and the
 * older build can use the newer functions, or could not be started (`min build`). Resolves to the names of the functions that were applied.
 */
export async function applyFunctions(client: Client, functions: readonly SqlFunction[], build: string): Promise<readonly string[]> {
  const applied = await readApplied(client);
  if (applied.some((one) => one.build > build)) return [];
  const digests = new Map(applied.map(({ name, digest, isUnchanged }) => [name, isUnchanged ? digest : null]));
  const changed = functions.filter(({ name, digest }) => digests.get(name) !== digest);
  if (changed.length === 0) return [];
  await client.query('BEGIN');
  try {
    // In the order of their names, one may come before another that it calls: bodies are checked when all of them are there.
    for (const check of ['off', 'on']) {
      await client.query(`SET LOCAL check_function_bodies = ${check}`);
      for (const { name, text, digest } of changed) await apply(client, name, text, `verbatim ${build} ${digest}`);
    }
    await client.query(RECORD_DEFINITIONS);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the connection itself may have failed
    throw error;
  }
  return changed.map(({ name }) => name);
}

async function apply(client: Client, name: string, text: string, comment: string): Promise<void> {
  try {
    await client.query(`${text}\nCOMMENT ON FUNCTION ${pg.escapeIdentifier(name)} IS ${pg.escapeLiteral(comment)}`);
  } catch (error) {
    throw new DatabaseError('migration_failed', `The function ${name} of prisma/functions failed, and all of them were rolled back: ${errorText(error)}`, {
      cause: error,
    });
  }
}

async function readApplied(client: Client): Promise<readonly Applied[]> {
  const { rows } = await client.query<{ name: string; comment: string; definition: string }>(COMMENTED);
  return rows.flatMap(({ name, comment, definition }) => {
    const [, build, digest, made] = COMMENT.exec(comment) ?? [];
    return build === undefined ? [] : [{ name, build, digest: digest!, isUnchanged: made === definition }];
  });
}
