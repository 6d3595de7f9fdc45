import { groupGrant, may, rolesIn, type SessionRights, userGrant } from '../../../packages/protocol/access/may.js';
import type { AuthorizedCaller, Principal } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState } from './state.js';

/**
 * Whether an event may take from a reader what lets them read. Their stream ends then; if they still may read, by another role, they reconnect.
 */
export function mayEndReading(event: SessionEvent, { userId, groups, role }: Principal, ownerId: string | null): boolean {
  if (role === 'system') return false;
  switch (event.type) {
    case 'session.grant_revoked':
    case 'session.granted': {
      const { principal } = event.data;
      const isTheirs = principal === userGrant(userId) || groups.some((group) => principal === groupGrant(group));
      return isTheirs && (event.type === 'session.grant_revoked' || event.data.role === 'auditor');
    }
    case 'content.erased':
      return event.data.scope === 'session' && userId !== ownerId;
    default:
      return false;
  }
}

export type AccessState = Pick<SessionState, 'version' | 'status' | 'ownerId' | 'grants' | 'readers'>;

export const rightsIn = ({ ownerId, grants, readers }: AccessState, now: number): SessionRights => ({ kind: 'session', ownerId, grants, readers, now });

/**
 * Throws `session_not_found` for a session that does not exist, in which the caller has no role, or that is still being imported: callers cannot tell these apart.
 * A caller with a role in the session gets `forbidden` for what the role does not allow; admins and auditors have theirs in every session of the tenant, whose
 * ids they can list.
 */
export function requireAccess(state: AccessState, caller: AuthorizedCaller): void {
  const exists = state.version > 0 && state.status !== 'importing';
  const rights = rightsIn(state, caller.now);
  if (exists && may(caller, caller.action, rights)) return;
  if (exists && caller.link === null && rolesIn(caller, rights).length > 0) {
    const instead = caller.role === 'member' ? '' : ' POST …/break-glass gives you read access for a time.';
    throw new DomainError(
      'forbidden',
      `Your role in this session does not allow ${caller.action}; an owner of the session can give you another one.${instead}`,
    );
  }
  throw new DomainError('session_not_found', 'There is no such session.');
}
