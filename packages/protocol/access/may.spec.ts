import { describe, expect, it } from '@jest/globals';
import { type Action, SCOPES, scopeOf, SESSION_ACTIONS, TENANT_ACTIONS } from './actions.js';
import { groupGrant, may, type SessionRights, TENANT, userGrant } from './may.js';
import { principalOf, systemPrincipal } from './principal.js';
import { SESSION_ROLES, type SessionRole } from './roles.js';

const NOW = 1_000;
const ANN = principalOf({ tenantId: 't', userId: 'ann', role: 'member', groups: ['support'] });
const session = (parts: Partial<SessionRights> = {}): SessionRights => ({
  kind: 'session',
  ownerId: 'bob',
  grants: new Map(),
  readers: new Map(),
  now: NOW,
  ...parts,
});
const granted = (...grants: readonly (readonly [string, SessionRole])[]) => session({ grants: new Map(grants) });
const ACTIONS = [...Object.keys(SESSION_ACTIONS), ...Object.keys(TENANT_ACTIONS), 'link.read'] as readonly Action[];
const allowed = (principal: typeof ANN, resource: Parameters<typeof may>[2]) => ACTIONS.filter((action) => may(principal, action, resource));

describe('may', () => {
  it('gives each role of a session what its column says', () => {
    for (const role of SESSION_ROLES) {
      const column = Object.entries(SESSION_ACTIONS).flatMap(([action, { roles }]) => ((roles as readonly string[]).includes(role) ? [action] : []));
      expect(allowed(ANN, role === 'owner' ? session({ ownerId: 'ann' }) : granted([userGrant('ann'), role]))).toEqual(column);
      expect(allowed(ANN, granted([groupGrant('support'), role]))).toEqual(column);
    }
  });

  it('knows nothing of other users, other groups, and groups that are named like users', () => {
    expect(allowed(ANN, session())).toEqual([]);
    expect(allowed(ANN, granted([userGrant('support'), 'owner'], [groupGrant('ann'), 'owner'], [groupGrant('sales'), 'owner']))).toEqual([]);
  });

  it('lets the highest of several grants count', () => {
    expect(may(ANN, 'session.prompt', granted([userGrant('ann'), 'viewer'], [groupGrant('support'), 'editor']))).toBe(true);
  });

  it('does not let an admin read, except with emergency access, and then only until it ends', () => {
    const admin = principalOf({ tenantId: 't', userId: 'ann', role: 'admin' });
    expect(allowed(admin, session())).toEqual(['session.erase', 'session.hold', 'session.break_glass']);
    expect(may(admin, 'session.read', session({ readers: new Map([['ann', NOW + 1]]) }))).toBe(true);
    expect(may(admin, 'session.read', session({ readers: new Map([['ann', NOW]]) }))).toBe(false);
    expect(may(admin, 'session.prompt', session({ readers: new Map([['ann', NOW + 1]]) }))).toBe(false);
    expect(may(ANN, 'session.read', session({ readers: new Map([['ann', NOW + 1]]) }))).toBe(false); // an admin who was made a member
  });

  it('makes an auditor of the tenant one in all its sessions', () => {
    const auditor = principalOf({ tenantId: 't', userId: 'ann', role: 'auditor' });
    expect(may(auditor, 'session.audit', session())).toBe(true);
    expect(may(auditor, 'session.read', session())).toBe(false);
  });

  it('limits every action that has a scope to credentials with it', () => {
    const owned = session({ ownerId: 'ann' });
    const admin = principalOf({ tenantId: 't', userId: 'ann', role: 'admin' });
    for (const action of ACTIONS.filter((each) => each !== 'link.read')) {
      const resource = action in SESSION_ACTIONS ? owned : TENANT;
      const scope = scopeOf(action);
      const others = SCOPES.filter((other) => other !== scope);
      expect([action, may({ ...admin, scopes: others }, action, resource)]).toEqual([action, scope === null]);
      if (scope !== null) expect(may({ ...admin, scopes: [scope] }, action, resource)).toBe(may(admin, action, resource));
    }
  });

  it('lets a link read what it shows and nothing else, whatever else its fields say', () => {
    const link = principalOf({ tenantId: 't', userId: 'bob', role: 'admin', link: { linkId: 'l', sessionId: 's', at: null } });
    for (const resource of [session(), TENANT]) expect(allowed(link, resource)).toEqual([]);
    expect(allowed(link, { kind: 'link' })).toEqual(['link.read']);
    expect(allowed(ANN, { kind: 'link' })).toEqual([]);
  });

  it('does not take an action of the tenant for one of a session, nor the reverse', () => {
    const owner = principalOf({ tenantId: 't', userId: 'ann', role: 'admin' });
    expect(allowed(owner, TENANT).every((action) => action in TENANT_ACTIONS)).toBe(true);
    expect(allowed(owner, session({ ownerId: 'ann' })).every((action) => action in SESSION_ACTIONS)).toBe(true);
  });

  it('lets the server carry out what was accepted', () => {
    expect(allowed(systemPrincipal('t', 'worker'), session())).toEqual(ACTIONS);
  });
});
