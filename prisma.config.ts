import { existsSync } from 'node:fs';
import process from 'node:process';
import { defineConfig } from 'prisma/config';

if (existsSync('.env')) process.loadEnvFile('.env'); // Prisma 7 does not read it by itself

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Only commands that talk to a database need it; `generate` does not.
  ...(process.env.DATABASE_URL ? { datasource: { url: process.env.DATABASE_URL } } : {}),
});
