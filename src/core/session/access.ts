import { DomainError } from '../errors.js';
import type { SessionState } from './state.js';
import type { Principal } from './principal.js';

/** Throws `session_not_found` for a session that does not exist, belongs to another user, or is still being imported: callers cannot tell these apart. */
export function requireAccess(state: Pick<SessionState, 'version' | 'status' | 'ownerId'>, principal: Pick<Principal, 'userId' | 'role'>): void {
  const visible = state.version > 0 && state.status !== 'importing' && (principal.role === 'admin' || state.ownerId === principal.userId);
  if (!visible) throw new DomainError('session_not_found', 'There is no such session.');
}
