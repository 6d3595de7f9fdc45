import { Injectable } from '@nestjs/common';
import { grantedRoles, may, userGrant } from '../../../packages/protocol/access/may.js';
import { type AuthorizedCaller, systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import { Digest, ReadSessions } from '../../ports/index.js';
import { rightsIn } from '../../session/state/access.js';
import type { AccessVia } from '../../../packages/protocol/events/events.js';
import { accessKey } from '../../session/state/evolve-access.js';
import type { AccessRecord, SessionState } from '../../session/state/state.js';
import { OWN_REQUEST } from './context.js';
import { Executor, WORKER_ID } from './execute.js';

const HOUR_MS = 3_600_000;

/**
 * Records who reads a session without owning it: the first read of an hour is in the log before its answer is sent, the others of that hour cost nothing.
 * The owner's reads are recognised in the cached state, without a statement.
 */
@Injectable()
export class AccessLog {
  constructor(
    private readonly sessions: ReadSessions,
    private readonly executor: Executor,
    private readonly digest: Digest,
  ) {}

  /** Before content of the session leaves to `caller`. Whether it may: without access nothing is recorded. */
  async record(caller: AuthorizedCaller, sessionId: string): Promise<boolean> {
    const hour = new Date(caller.now - (caller.now % HOUR_MS)).toISOString();
    const access = { reader: readerOf(caller), hour };
    const known = this.sessions.known(caller.tenantId, sessionId);
    if (known && isOwner(caller, known)) return true;
    if (known?.accesses.has(accessKey(access)) && mayRead(caller, known)) return true;
    const state = await this.sessions.load(caller.tenantId, sessionId);
    if (state.version === 0 || state.erased || !mayRead(caller, state)) return false;
    if (isOwner(caller, state)) return true;
    if (!state.accesses.has(accessKey(access))) await this.#append(caller, sessionId, { ...access, via: viaOf(caller, state) });
    return true;
  }

  /** Before sessions are shown in a list: those that the caller may read, and whose record is written. One that cannot be loaded does not cost the others. */
  async recordAll(caller: AuthorizedCaller, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
    const readable = await Promise.all(sessionIds.map(async (id) => ((await this.record(caller, id).catch(() => false)) ? [id] : [])));
    return new Set(readable.flat());
  }

  /** Before a fork is made: what it has of the session leaves with it, for good. */
  async recordFork(caller: AuthorizedCaller, sessionId: string, fork: string): Promise<void> {
    const state = await this.sessions.load(caller.tenantId, sessionId);
    const access = { reader: readerOf(caller), via: 'fork', hour: new Date(caller.now - (caller.now % HOUR_MS)).toISOString(), fork } as const;
    if (!isOwner(caller, state) && !state.accesses.has(accessKey(access))) await this.#append(caller, sessionId, access);
  }

  async #append(caller: AuthorizedCaller, sessionId: string, access: Omit<AccessRecord, 'at'>): Promise<void> {
    const { tenantId, userId } = caller;
    const commandId = uuidFromSha256(this.digest.sha256(`access ${sessionId} ${accessKey(access)}`));
    // A user is the actor of what they read; of a link the server is the actor.
    const principal = systemPrincipal(tenantId, caller.link === null ? userId : WORKER_ID);
    const context = { principal, sessionId, commandId, requestHash: OWN_REQUEST, expectedVersion: null };
    await this.executor.execute(context, { type: 'RecordAccess', ...access });
  }
}

const readerOf = ({ link, userId }: AuthorizedCaller): string => (link === null ? userGrant(userId) : `link:${link.linkId}`);

const mayRead = (caller: AuthorizedCaller, state: SessionState): boolean => caller.link !== null || may(caller, 'session.read', rightsIn(state, caller.now));

function isOwner(caller: AuthorizedCaller, state: SessionState): boolean {
  return caller.link === null && grantedRoles(caller, state).includes('owner');
}

function viaOf(caller: AuthorizedCaller, state: SessionState): AccessVia {
  if (caller.link !== null) return 'link';
  return grantedRoles(caller, state).some((role) => role !== 'auditor') ? 'grant' : 'break_glass';
}
