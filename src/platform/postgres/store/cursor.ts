import { createHash } from 'node:crypto';
import { DomainError } from '../../../../packages/protocol/errors.js';
import { isUuid } from './row.js';

/** A position in a list: the last item of a page. */
export interface ListPlace {
  readonly at: string;
  readonly id: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** `list`: everything that selects the items of the list. The cursor holds a digest of it and of the place, and is valid for this list only. */
export function encodeCursor(place: ListPlace, list: unknown): string {
  return Buffer.from(`${place.at} ${place.id} ${digest(place, list)}`).toString('base64url');
}

/** Rejects text that encodeCursor did not produce for this list with `invalid_input`. A cursor grants nothing: every page is read with the caller's rights. */
export function decodeCursor(cursor: string, list: unknown): ListPlace {
  const [at = '', id = '', sum = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const isPlace = TIME.test(at) && !Number.isNaN(Date.parse(at)) && isUuid(id) && rest.length === 0;
  if (isPlace && sum === digest({ at, id }, list)) return { at, id };
  throw new DomainError(
    'invalid_input',
    'The cursor is invalid; pass `nextCursor` unchanged and with the same filters, or leave it out to start from the beginning.',
    [{ pointer: '/cursor', text: 'is not a cursor of this list' }],
  );
}

function digest({ at, id }: ListPlace, list: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([at, id, list]))
    .digest('base64url')
    .slice(0, 22);
}
