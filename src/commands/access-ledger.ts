import { Injectable } from '@nestjs/common';
import { grantedRoles, may, userGrant } from '../core/access/may.js';
import { type Acting, systemPrincipal } from '../core/access/principal.js';
import { uuidFromSha256 } from '../core/message/ids.js';
import { Digest, Sessions } from '../core/ports.js';
import { rightsIn } from '../core/session/access.js';
import type { AccessVia } from '../core/session/events.js';
import { accessKey } from '../core/session/evolve-access.js';
import type { SessionState } from '../core/session/state.js';
import { OWN_REQUEST } from './context.js';
import { Executor, WORKER_ID } from './execute.js';

const HOUR_MS = 3_600_000;

/**
 * Records who reads a session without owning it: the first read of an hour is in the log before its answer is sent, the others of that hour cost nothing.
 * The owner's reads are recognised in the cached state, without a statement.
 */
@Injectable()
export class AccessLedger {
  constructor(
    private readonly sessions: Sessions,
    private readonly executor: Executor,
    private readonly digest: Digest,
  ) {}

  /** Before the read of `caller`, who may turn out to have no access: then nothing is recorded. */
  async record(caller: Acting, sessionId: string): Promise<void> {
    const { tenantId, userId } = caller;
    const known = this.sessions.known(tenantId, sessionId);
    const reader = caller.link === null ? userGrant(userId) : `link:${caller.link.linkId}`;
    const hour = new Date(caller.now - (caller.now % HOUR_MS)).toISOString();
    const key = accessKey({ reader, hour });
    if (known && (isOwner(caller, known) || known.accesses.has(key))) return;
    const state = await this.sessions.load(tenantId, sessionId);
    if (state.version === 0 || state.erased || isOwner(caller, state) || state.accesses.has(key)) return;
    if (caller.link === null && !may(caller, caller.action, rightsIn(state, caller.now))) return;
    const commandId = uuidFromSha256(this.digest.sha256(`access ${sessionId} ${key}`));
    // A user is the actor of what they read; of a link the server is the actor.
    const principal = caller.link === null ? systemPrincipal(tenantId, userId) : systemPrincipal(tenantId, WORKER_ID);
    const context = { principal, sessionId, commandId, requestHash: OWN_REQUEST, expectedVersion: null };
    await this.executor.execute(context, { type: 'RecordAccess', reader, via: viaOf(caller, state), hour });
  }
}

function isOwner(caller: Acting, state: SessionState): boolean {
  return caller.link === null && grantedRoles(caller, state).includes('owner');
}

function viaOf(caller: Acting, state: SessionState): AccessVia {
  if (caller.link !== null) return 'link';
  return grantedRoles(caller, state).some((role) => role !== 'auditor') ? 'grant' : 'break_glass';
}
