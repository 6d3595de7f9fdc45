import { fileURLToPath } from 'node:url';

const folder = (name: string): string => fileURLToPath(new URL(`../../prisma/${name}`, import.meta.url));

/** What a start brings the database up to date with. Compiled, this file lies in dist/src. */
export const SCHEMA_FOLDERS = { migrations: folder('migrations'), functions: folder('functions') };
