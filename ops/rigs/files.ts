import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files that the documentation shows. Compiled, this one lies in dist/ops/rigs. */
const FILES = fileURLToPath(new URL('../../../ops/high-availability/', import.meta.url));

/** A file of ops/high-availability with each `${NAME}` filled in, as envsubst does. */
export async function filled(file: string, values: Readonly<Record<string, string | number>>): Promise<string> {
  const text = await readFile(path.join(FILES, file), 'utf8');
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`${file} names ${name}, which is not known`);
    return String(values[name]);
  });
}
