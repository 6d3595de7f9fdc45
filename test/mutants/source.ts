import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutant.js';

/** Compiled, this file lies in dist/test/mutants. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Why the mutant cannot be made; null: it can. */
export function problemOf({ name, file, text, becomes }: Mutant): string | null {
  const times = sourceOf(file)?.split(text).length;
  if (times === undefined) return `"${name}": there is no file ${file}; name the file in which the code is now`;
  if (times !== 2) return `"${name}": ${JSON.stringify(text)} is ${times - 1} times in ${file}, not once; change the text to what the code says now`;
  return text === becomes ? `"${name}" changes nothing` : null;
}

/** The file with the mistake. */
export function mutatedSource(mutant: Mutant): string {
  const problem = problemOf(mutant);
  if (problem !== null) throw new Error(problem);
  return sourceOf(mutant.file)!.replace(mutant.text, () => mutant.becomes);
}

function sourceOf(file: string): string | undefined {
  try {
    return readFileSync(path.join(ROOT, file), 'utf8');
  } catch {
    return undefined;
  }
}
