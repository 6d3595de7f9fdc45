import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled, this file lies in dist/test/fault/support. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A text of a compiled file, and what it becomes. */
export type BuildChange = readonly [file: string, from: RegExp, to: string];

/** What the next release changes: the pipeline's version, and the shape of an event, which this build therefore cannot read. */
const NEXT_RELEASE: readonly BuildChange[] = [
  ['packages/protocol/version.js', /VERSION = '[^']+'/, "VERSION = '99.0.0'"],
  ['packages/normalizer/build-payload.js', /NORMALIZER = '[^']+'/, "NORMALIZER = '99'"],
  ['packages/protocol/events/turn-events.js', /'turn\.prepared': event\(\{/, "'turn.prepared': event({ upcasts: [(data) => data],"],
];

/** Copies this build into `directory` and makes it the next release; returns its main file. */
export const nextBuild = (directory: string): Promise<string> => changedBuild(directory, NEXT_RELEASE);

/** Copies this build into `directory` and changes it; returns its main file. */
export async function changedBuild(directory: string, changes: readonly BuildChange[]): Promise<string> {
  const source = path.join(directory, 'dist');
  await mkdir(source, { recursive: true });
  for (const part of ['packages', 'src']) await cp(path.join(ROOT, 'dist', part), path.join(source, part), { recursive: true });
  for (const name of ['node_modules', 'prisma', 'package.json']) await symlink(path.join(ROOT, name), path.join(directory, name));
  for (const [file, from, to] of changes) {
    const text = await readFile(path.join(source, file), 'utf8');
    if (!from.test(text)) throw new Error(`${file} does not contain ${from}: adapt the changes`);
    await writeFile(path.join(source, file), text.replace(from, to));
  }
  return path.join(source, 'src/main.js');
}
