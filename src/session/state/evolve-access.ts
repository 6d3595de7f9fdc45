import { userGrant } from '../../../packages/protocol/access/may.js';
import type { SessionRole } from '../../../packages/protocol/access/roles.js';
import type { NewEvent, SessionEvent } from '../../../packages/protocol/events/events.js';
import type { AccessRecord, SessionState } from './state.js';

/** The first owner, and the roles of all others. */
export interface Grants {
  ownerId: string | null;
  readonly grants: Map<string, SessionRole>;
}

const USER = 'user:';

/** Gives a role, instead of the one before. Of the first owner: another owner takes that place. */
function grant(rights: Grants, principal: string, role: SessionRole): void {
  if (rights.ownerId !== null && principal === userGrant(rights.ownerId)) {
    if (role === 'owner') return;
    replaceOwner(rights);
  }
  rights.grants.set(principal, role);
}

function revoke(rights: Grants, principal: string): void {
  if (rights.ownerId !== null && principal === userGrant(rights.ownerId)) replaceOwner(rights);
  else rights.grants.delete(principal);
}

function replaceOwner(rights: Grants): void {
  const [next] = [...rights.grants].find(([, role]) => role === 'owner') ?? [null];
  rights.ownerId = next === null ? null : next.slice(USER.length);
  if (next !== null) rights.grants.delete(next);
}

/** Who has which role after `events`; null: they change nothing in it. */
export function grantsAfter({ ownerId, grants }: Pick<SessionState, 'ownerId' | 'grants'>, events: readonly NewEvent[]): Grants | null {
  const after: Grants = { ownerId, grants: new Map(grants) };
  let isChanged = false;
  for (const event of events) {
    if (event.type === 'session.granted') grant(after, event.data.principal, event.data.role);
    else if (event.type === 'session.grant_revoked') revoke(after, event.data.principal);
    else continue;
    isChanged = true;
  }
  return isChanged ? after : null;
}

export function recordGrant(state: SessionState, event: Extract<SessionEvent, { type: 'session.granted' | 'session.grant_revoked' }>): void {
  if (event.type === 'session.granted') grant(state, event.data.principal, event.data.role);
  else revoke(state, event.data.principal);
}

export function recordBrokenGlass(state: SessionState, { data, actor, time }: Extract<SessionEvent, { type: 'glass.broken' }>): void {
  state.readers.set(actor.id, Date.parse(data.until));
  state.brokenGlass.push({ by: actor.id, at: time, until: data.until, reason: data.reason });
}

export function recordAccess(state: SessionState, { data, time }: Extract<SessionEvent, { type: 'session.accessed' }>): void {
  state.accesses.set(accessKey(data), { ...data, at: time });
}

/** Reads by one reader within one hour are one access; every fork is a separate one. */
export const accessKey = ({ reader, hour, fork = '' }: Pick<AccessRecord, 'reader' | 'hour' | 'fork'>): string => `${fork === '' ? hour : fork} ${reader}`;
