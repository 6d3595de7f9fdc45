import path from 'node:path';
import ts from 'typescript';
import { isSql, type Mutant } from './mutant.js';
import { mutatedSource, ROOT } from './source.js';

/** The mutated file: SQL as it is, TypeScript as JavaScript. */
export const mutated = (mutant: Mutant): string => (isSql(mutant) ? mutatedSource(mutant) : transpiled(mutatedSource(mutant), mutant.file));

/** Where the compiler puts the file. */
export const outputOf = ({ file }: Mutant): string => path.join(ROOT, 'dist', file.replace(/\.ts$/, '.js'));

function transpiled(source: string, fileName: string): string {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    isolatedModules: true,
  };
  return ts.transpileModule(source, { fileName, compilerOptions }).outputText;
}
