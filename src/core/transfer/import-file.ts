/** A line of a file that is not blank. Lines count from 1, blank ones too. */
export type FileLine = { readonly line: number } & (
  | { readonly bytes: number; readonly value: unknown }
  /** Why it could not be read; says nothing of what it holds. */
  | { readonly reason: string }
);

/** A file of one JSON value per line, at hand in full, of which only pieces are in memory. */
export abstract class ImportFile {
  /** From the first line to the last; may be gone through more than once. */
  abstract lines(): AsyncIterable<FileLine>;
  /** The value of a line that could be read. Only after `lines` has come past it. */
  abstract read(line: number): Promise<unknown>;
}
