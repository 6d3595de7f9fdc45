// `npm run prisma -- COMMAND`: the Prisma CLI, offline.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { prismaCli, prismaEnvironment } from './prisma-command.mjs';

const commandArguments = process.argv.slice(2);

if (existsSync('.env')) process.loadEnvFile('.env'); // as prisma.config.ts does
if (needsDatabase(commandArguments) && !process.env.DATABASE_URL) {
  console.error(
    `DATABASE_URL is not set, and \`prisma ${commandArguments.slice(0, 2).join(' ')}\` needs a running PostgreSQL server.\n` +
      'Set it in the environment or in .env to a database for development, for example:\n' +
      '  DATABASE_URL=postgresql://user:password@localhost:5432/verbatim\n' +
      'The user needs CREATEDB, since Prisma applies the migrations to a temporary database, and CREATEROLE, since they create the role verbatim_app.',
  );
  process.exit(1);
}

const { status } = spawnSync(process.execPath, [prismaCli, ...commandArguments], { stdio: 'inherit', env: prismaEnvironment() });
process.exit(status ?? 1);

/** The other commands (`generate`, `validate`, `format`) read files only. */
function needsDatabase([command, ...options]) {
  if (options.some((option) => /^(-h|--help|--url|--config)\b/.test(option))) return false;
  return command === 'studio' || (['migrate', 'db'].includes(command) && options.length > 0);
}
