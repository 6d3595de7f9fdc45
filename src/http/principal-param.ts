import { DomainError } from '../../packages/protocol/errors.js';
import { isVisible } from '../../packages/protocol/access/names.js';
import { groupGrant, userGrant } from '../../packages/protocol/access/may.js';

const PRINCIPAL = /^(user|group):(.{1,255})$/su;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A user by id or name, or a group by name. Ids are derived from names, so that no answer depends on whether the user exists. */
export function grantPrincipal(given: string, idOf: (name: string) => string): string {
  const [, kind, name = ''] = PRINCIPAL.exec(given) ?? [];
  if (kind === undefined || !name.isWellFormed() || name.includes('\u0000')) {
    throw new DomainError('invalid_input', 'The principal in the path must be `user:` and an id or a name, or `group:` and a name.', [
      { pointer: '/principal', text: 'must be user:<id or name> or group:<name>' },
    ]);
  }
  if (kind === 'group' && !isVisible(name)) {
    throw new DomainError(
      'invalid_input',
      'The name of a group must not have invisible characters, nor begin or end with a space: it would look like another group.',
      [{ pointer: '/principal', text: 'has invisible characters, or begins or ends with a space' }],
    );
  }
  if (kind === 'group') return groupGrant(name);
  return userGrant(UUID.test(name) ? name.toLowerCase() : idOf(name));
}
