import { DomainError } from '../../core/errors.js';
import { isUuid } from './row.js';

/** A place in the session list: the last session of a page. Opaque to clients, and to everybody but this file. */
export interface ListPlace {
  readonly updatedAt: string;
  readonly id: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function encodeCursor({ updatedAt, id }: ListPlace): string {
  return Buffer.from(`${updatedAt} ${id}`).toString('base64url');
}

/** Refuses with `invalid_input` what encodeCursor has not made. */
export function decodeCursor(cursor: string): ListPlace {
  const [updatedAt = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (TIME.test(updatedAt) && !Number.isNaN(Date.parse(updatedAt)) && isUuid(id) && rest.length === 0) return { updatedAt, id };
  throw new DomainError('invalid_input', 'The cursor is not one of ours; leave it out to start from the beginning, or pass `nextCursor` as it was.', [
    { pointer: '/cursor', text: 'is not a cursor of this list' },
  ]);
}
