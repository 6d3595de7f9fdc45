/** A line that is not blank. Line numbers start at 1 and include blank lines. */
export type FileLine = { readonly line: number } &
  /** `shortened`: why a part of the line is left out of its value, without its content. */
  (
    | { readonly bytes: number; readonly value: unknown; readonly shortened?: string }
    /** Why it could not be read, without its content. */
    | { readonly reason: string }
  );

/** A stored file with one JSON value per line, read in parts. */
export abstract class ImportFile {
  /** All lines in order; may be iterated more than once. */
  abstract lines(): AsyncIterable<FileLine>;
  /** The value of a readable line that `lines` has already returned. */
  abstract read(line: number): Promise<unknown>;
}
