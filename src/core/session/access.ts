import { DomainError } from '../errors.js';
import type { SessionState } from './state.js';
import type { Principal } from './principal.js';

/** A session that does not exist, one that is somebody else's, and one whose import has not come to its end look the same from outside. */
export function requireAccess(state: SessionState, principal: Pick<Principal, 'userId' | 'role'>): void {
  const visible = state.version > 0 && state.status !== 'importing' && (principal.role === 'admin' || state.ownerId === principal.userId);
  if (!visible) throw new DomainError('session_not_found', 'There is no such session.');
}
