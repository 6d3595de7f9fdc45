import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled, this file lies in dist/test/fault/support. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** What the next release changes: the pipeline's version, and the shape of an event, which this build therefore cannot read. */
const CHANGES: readonly (readonly [file: string, from: RegExp, to: string])[] = [
  ['packages/protocol/version.js', /VERSION = '[^']+'/, "VERSION = '99.0.0'"],
  ['packages/normalizer/build-payload.js', /NORMALIZER = '[^']+'/, "NORMALIZER = '99'"],
  ['packages/protocol/events/turn-events.js', /'turn\.prepared': event\(\{/, "'turn.prepared': event({ upcasts: [(data) => data],"],
];

/** Copies this build into `directory` and makes it the next release; returns its main file. */
export async function nextBuild(directory: string): Promise<string> {
  const source = path.join(directory, 'dist');
  await mkdir(source, { recursive: true });
  for (const part of ['packages', 'src']) await cp(path.join(ROOT, 'dist', part), path.join(source, part), { recursive: true });
  for (const name of ['node_modules', 'prisma', 'package.json']) await symlink(path.join(ROOT, name), path.join(directory, name));
  for (const [file, from, to] of CHANGES) {
    const text = await readFile(path.join(source, file), 'utf8');
    if (!from.test(text)) throw new Error(`${file} does not contain ${from}: adapt the changes of the next release`);
    await writeFile(path.join(source, file), text.replace(from, to));
  }
  return path.join(source, 'src/main.js');
}
