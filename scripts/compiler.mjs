import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildConsole } from './console.mjs';
import { root, run } from './run.mjs';

/** The native compiler's executable itself: the script around it does not forward signals. */
export async function compiler() {
  const { default: executable } = await import('../node_modules/@typescript/native/lib/getExePath.js');
  return executable();
}

/** The client for browsers, and the session store on it, which the tests use; the image is built without them. */
const CLIENTS = ['clients/typescript', 'clients/session-store'];
const CONSOLE = 'web';

/** Compiles the client, sources, tests, benches and rigs, and checks their types. */
export async function compileAll() {
  for (const client of CLIENTS) if (existsSync(path.join(root, client, 'src'))) await run(await compiler(), ['-p', client]);
  await run(await compiler(), ['-p', 'tsconfig.json']);
  for (const folder of ['packages', 'src', 'test', 'bench', 'ops']) removeOrphans(folder);
  if (existsSync(path.join(root, CONSOLE))) await run(await compiler(), ['-p', CONSOLE]);
  await buildConsole();
}

/** Sources and tests, whether their types are right or not. */
export async function compileUnchecked() {
  for (const client of CLIENTS) await run(await compiler(), ['-p', client, '--noCheck']);
  await run(await compiler(), ['-p', 'tsconfig.json', '--noCheck']);
}

/** Removes the output of deleted sources: Jest would still run a deleted spec. */
function removeOrphans(folder) {
  const output = path.join(root, 'dist', folder);
  if (!existsSync(output)) return;
  for (const entry of readdirSync(output, { recursive: true })) {
    const [, name] = /^(.+)\.js(?:\.map)?$/.exec(entry) ?? [];
    if (name !== undefined && !existsSync(path.join(root, folder, `${name}.ts`))) rmSync(path.join(output, entry));
  }
}

/** At a terminal the seconds are counted on the line; in a file there is a line each ten seconds. The returned function ends it. */
function beginProgress(what) {
  const started = performance.now();
  const { isTTY } = process.stderr;
  process.stderr.write(`${what}…\n`);
  const timer = setInterval(
    () => {
      const seconds = Math.round((performance.now() - started) / 1_000);
      process.stderr.write(isTTY ? `\u001b[1A\r${what}… ${seconds} s\n` : `${what}… ${seconds} s\n`);
    },
    isTTY ? 1_000 : 10_000,
  );
  return () => clearInterval(timer);
}

/** After how many milliseconds a compile is reported; to find out that nothing changed takes less. */
const SILENT_MS = 400;

/**
 * Compiles what changed since the last compile, if anything. Types are not checked, which would take as long again: `npm run compile`
 * checks them, and so do `check`, `test` and `dev`.
 */
export async function compileForStart() {
  const started = performance.now();
  let report;
  const announcement = setTimeout(() => (report = beginProgress('Compiling')), SILENT_MS);
  // Two incremental builds must not share the output folder: each would take the other's output for its own. Once everything was compiled, that build is
  // the one to update; before that the sources alone are compiled, without the types of packages.
  const project = existsSync(path.join(root, 'dist/.tsbuildinfo')) ? 'tsconfig.json' : 'tsconfig.start.json';
  await Promise.all([run(await compiler(), ['--build', project, '--noCheck']), buildConsole()]);
  clearTimeout(announcement);
  report?.();
  const took = performance.now() - started;
  if (took > SILENT_MS) process.stderr.write(`Compiled in ${(took / 1_000).toFixed(1)} s\n`);
}
