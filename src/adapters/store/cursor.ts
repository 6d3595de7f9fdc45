import { DomainError } from '../../core/errors.js';
import { isUuid } from './row.js';

/** A position in the session list: the last session of a page. */
export interface ListPlace {
  readonly updatedAt: string;
  readonly id: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function encodeCursor({ updatedAt, id }: ListPlace): string {
  return Buffer.from(`${updatedAt} ${id}`).toString('base64url');
}

/** Rejects text that encodeCursor did not produce with `invalid_input`. */
export function decodeCursor(cursor: string): ListPlace {
  const [updatedAt = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (TIME.test(updatedAt) && !Number.isNaN(Date.parse(updatedAt)) && isUuid(id) && rest.length === 0) return { updatedAt, id };
  throw new DomainError('invalid_input', 'The cursor is invalid; pass `nextCursor` unchanged, or leave it out to start from the beginning.', [
    { pointer: '/cursor', text: 'is not a cursor of this list' },
  ]);
}
