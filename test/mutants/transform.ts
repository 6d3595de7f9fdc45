import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

interface Options {
  readonly transformerConfig: { readonly from: string };
}

/** Jest's transform for the one file that is mutated: its output is read from another file. */
export default {
  process: (_source: string, _path: string, { transformerConfig: { from } }: Options) => ({ code: readFileSync(from, 'utf8') }),
  getCacheKey: (_source: string, path: string, { transformerConfig: { from } }: Options) =>
    createHash('sha256').update(path).update(readFileSync(from)).digest('hex'),
};
