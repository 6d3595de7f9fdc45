// `verbatim dev`: compiles on every change and restarts the server on every compile. A signal ends it all.
import { spawn } from 'node:child_process';
import { compileAll, compiler } from './compiler.mjs';
import { onNpmGone } from '../bin/npm-parent.mjs';
import { END_SIGNALS, root } from './run.mjs';

await compileAll();

const start = (program, commandArguments) => spawn(program, commandArguments, { cwd: root, stdio: 'inherit' });
const children = [
  start(await compiler(), ['-p', 'tsconfig.json', '--watch', '--preserveWatchOutput']),
  start(process.execPath, ['--enable-source-maps', '--watch', '--watch-preserve-output', 'dist/src/main.js']),
];

// This process ends when both children have. The server takes its time: it finishes what it is doing.
const end = () => children.forEach((child) => child.kill('SIGTERM'));
for (const signal of END_SIGNALS) process.once(signal, end);
for (const child of children) child.once('exit', end);
onNpmGone(end);
