/** A mistake that a change could make: one text of a source file replaced by another. Some test must fail because of it. */
export interface Mutant {
  /** What the mistake is, as a sentence. Unique. */
  readonly name: string;
  /** From the root of the repository: a TypeScript source or a SQL function. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly text: string;
  readonly becomes: string;
  /** Patterns of specs that must notice it, if the simulation does not. */
  readonly specs?: readonly string[];
  /** False: the simulation cannot meet it, or the specs are faster, and only they are run. SQL functions are never part of the simulation. */
  readonly simulated?: false;
  /** Why no test can notice it: it is not run and not counted. */
  readonly equivalent?: string;
}

/** Mutants that concern one thing. */
export interface Area {
  readonly name: string;
  readonly mutants: readonly Mutant[];
}

export const isSql = ({ file }: Mutant): boolean => file.endsWith('.sql');

/** Makes mutants of one file. */
export const mutantsOf =
  (file: string) =>
  (name: string, text: string, becomes: string, more: Pick<Mutant, 'specs' | 'simulated' | 'equivalent'> = {}): Mutant => ({
    name,
    file,
    text,
    becomes,
    ...more,
  });
