import { Injectable, Logger } from '@nestjs/common';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { ComputePool } from '../../ports/index.js';
import type { VerifiedAudit } from './session-audit.js';
import { SessionQueries } from '../queries/session-queries.js';

/** An audit as a compute process answers it. */
export type ComputedAudit = Omit<VerifiedAudit, 'hashes'> & { readonly hashes: string };

export const computedAudit = ({ hashes, ...audit }: VerifiedAudit): ComputedAudit => ({ ...audit, hashes: Buffer.from(hashes).toString('base64') });

/**
 * Audits that no client waits for, and those that rebuild requests: a compute process reads and verifies the log, and the event loop of this one stays free. What the pool does not answer, because it is full, or the audit takes too long or too much
 * memory there, says nothing about the session: it is audited here.
 */
@Injectable()
export class BackgroundAudits {
  readonly #log = new Logger(BackgroundAudits.name);

  constructor(
    private readonly sessions: SessionQueries,
    private readonly compute: ComputePool,
  ) {}

  async audit(principal: AuthorizedCaller, sessionId: string, newestRequests = 0): Promise<VerifiedAudit> {
    try {
      const { json } = await this.compute.run({ kind: 'audit', principal, sessionId, newestRequests });
      const { hashes, ...audit } = JSON.parse(Buffer.from(json).toString()) as ComputedAudit;
      return { ...audit, hashes: Buffer.from(hashes, 'base64') };
    } catch (error) {
      this.#log.debug(`session ${sessionId} is audited in this process: ${String(error)}`);
      return this.sessions.audit(principal, sessionId, newestRequests);
    }
  }
}
