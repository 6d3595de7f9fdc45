import { DomainError } from '../../../packages/protocol/errors.js';

const DOOR = '/anthropic';

/** A path whose segments mean the same to everybody on the way: no proxy decodes one into another route. */
const PLAIN_PATH = /^\/anthropic\/v1(\/[A-Za-z0-9._~:@%-]+)+$/;

/** The path at the model API, with the query. Throws invalid_input for one that another server may read as another route. */
export function targetOf(url: string): string {
  const [path = '', ...query] = url.split('?');
  if (!PLAIN_PATH.test(path) || url.includes('#') || path.split('/').some((segment) => !isPlain(segment)))
    throw new DomainError(
      'invalid_input',
      'The path has a segment that is not passed on: . and .., an encoded slash, or a character that is not part of a route.',
    );
  return [path.slice(DOOR.length), ...query].join('?');
}

function isPlain(segment: string): boolean {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    return false;
  }
  return decoded !== '.' && decoded !== '..' && /^[A-Za-z0-9._~:@[\]-]*$/.test(decoded);
}
