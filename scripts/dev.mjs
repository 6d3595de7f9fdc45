// `npm run dev`: compile on every change, start again on every successful compile. Ctrl-C ends it all.
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = path.join(root, 'node_modules/@typescript/native/bin/tsc');
const node = (...commandArguments) => [process.execPath, commandArguments, { cwd: root, stdio: 'inherit' }];

for (const step of [
  ['scripts/prisma.mjs', 'generate'],
  [compiler, '-p', 'tsconfig.json'],
]) {
  const { status } = spawnSync(...node(...step));
  if (status !== 0) process.exit(status ?? 1);
}

const children = [
  spawn(...node(compiler, '-p', 'tsconfig.json', '--watch', '--preserveWatchOutput')),
  spawn(...node('--enable-source-maps', '--watch', '--watch-preserve-output', 'dist/src/main.js')),
];

// The terminal sends Ctrl-C to the children as well; we only wait, so that the application can finish what it is doing.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => children.forEach((child) => child.kill('SIGTERM')));
for (const child of children) child.on('exit', () => children.forEach((other) => other.kill('SIGTERM')));
