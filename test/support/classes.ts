import type { Type } from '@nestjs/common';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Compiled, this file lies in dist/test/support. The sources say what there is: `dist` may have files that are gone. */
export const compiled = fileURLToPath(new URL('../../src/', import.meta.url));
export const source = fileURLToPath(new URL('../../../src/', import.meta.url));

export const classesOf = async (file: string): Promise<readonly Type[]> =>
  Object.values((await import(pathToFileURL(file).href)) as object).filter((value): value is Type => typeof value === 'function' && 'prototype' in value);

/** A class that a file of `src` exports, with the name of its source. */
interface SourceClass {
  readonly name: string;
  readonly file: string;
  readonly type: Type;
}

/** The classes that the files of a folder of `src` export. */
export async function classesIn(folder: string): Promise<readonly SourceClass[]> {
  const files = (await readdir(path.join(source, folder), { recursive: true })).filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  const found = files.map(async (name) => {
    const file = path.join('src', folder, name);
    const classes = await classesOf(path.join(compiled, folder, name.replace(/\.ts$/, '.js')));
    return classes.map((type) => ({ name: `${type.name} of ${file}`, file, type }));
  });
  return (await Promise.all(found)).flat();
}
