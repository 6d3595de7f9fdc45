import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, run } from './run.mjs';

const schema = path.join(root, 'prisma/schema.prisma');
const output = path.join(root, 'src/generated/prisma');
/** In the client's folder, so that they go together. */
const stamp = path.join(output, '.generated-from');

/** Generates the Prisma client if its schema or the version of Prisma changed since the last time: the generator takes seconds. */
export async function generateClient() {
  const { prismaCli, prismaEnvironment, prismaVersion } = await import('./prisma-command.mjs');
  const source = `prisma ${prismaVersion}, schema ${createHash('sha256').update(readFileSync(schema)).digest('hex')}\n`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === source) return;
  rmSync(output, { recursive: true, force: true }); // the generator rejects a folder that holds part of a client
  await run(process.execPath, [prismaCli, 'generate'], { quiet: true, env: prismaEnvironment() });
  writeFileSync(stamp, source);
}
