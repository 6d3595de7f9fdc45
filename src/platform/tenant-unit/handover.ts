import type { Checkpoint } from '../../../packages/proofs/checkpoint.js';
import { toBase64 } from '../../../packages/proofs/base64.js';

/** The name and version of the file. */
export const FORMAT = 'verbatim tenant/1';

/** What the key of the source's transparency log signs: which tenant it hands over, at which checkpoint, and all lines of the file. */
export interface Handover {
  readonly tenantId: string;
  readonly checkpoint: Checkpoint;
  /** Lines before the last one. */
  readonly lines: number;
  /** SHA-256 of these lines, each with its line break. Hexadecimal. */
  readonly digest: string;
}

/** The text of the note. Its second line is that of no checkpoint, so neither can be taken for the other. */
export function handoverText({ tenantId, checkpoint, lines, digest }: Handover): string {
  const { origin, size, root } = checkpoint;
  return `${FORMAT}\ntenant ${tenantId}\nfrom ${origin} ${size} ${toBase64(root)}\nlines ${lines} ${digest}\n`;
}

/** The kinds of lines: the first one, then tables with their rows, the proofs, and the last one. */
export interface HeadLine {
  readonly type: 'tenant';
  readonly format: string;
  readonly tenantId: string;
  readonly name: string;
  /** The newest migration of the source. */
  readonly schema: string;
  readonly checkpoint: string;
}

export interface TableLine {
  readonly type: 'table';
  readonly name: string;
  readonly columns: readonly string[];
}

/** A row, as the texts that Postgres writes for its values. */
export interface RowLine {
  readonly type: 'row';
  readonly values: readonly (string | null)[];
}

/** That the newest event of a session is in the tree of the checkpoint; the chain ties all earlier events to it. */
export interface ProofLine {
  readonly type: 'proof';
  readonly sessionId: string;
  readonly seq: number;
  /** Of the chain, hexadecimal. */
  readonly hash: string;
  readonly leafIndex: number;
  /** Base64. */
  readonly hashes: readonly string[];
}

export interface EndLine {
  readonly type: 'end';
  readonly note: string;
}

export type Line = HeadLine | TableLine | RowLine | ProofLine | EndLine;
