import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Clock, Credentials, LiveBus, revocationChannel } from '../../ports/index.js';

interface Open {
  readonly caller: AuthorizedCaller;
  readonly response: Response;
  /** Rejects with a DomainError when the caller may not read any more; null: only the credentials can end it. */
  readonly check: ((caller: AuthorizedCaller) => Promise<unknown>) | null;
}

/**
 * Ends open streams when the credentials or the right with which they were opened end. A revocation is announced to every process; a lost announcement,
 * an expiry, or the end of an emergency access is found by a regular check: one statement for the credentials of all streams of a tenant.
 */
@Injectable()
export class OpenRights implements OnModuleInit, BeforeApplicationShutdown {
  readonly #log = new Logger('Stream');
  readonly #byTenant = new Map<string, { readonly open: Set<Open>; readonly unsubscribe: () => void }>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly credentials: Credentials,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'STREAM_RECHECK_MS'>,
  ) {}

  onModuleInit(): void {
    this.#timer = setInterval(() => void this.#recheck(), this.settings.STREAM_RECHECK_MS);
    this.#timer.unref();
  }

  beforeApplicationShutdown(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Until the response is closed. */
  watch(response: Response, caller: AuthorizedCaller, check: Open['check']): void {
    const { tenantId } = caller;
    const tenant = this.#byTenant.get(tenantId) ?? { open: new Set<Open>(), unsubscribe: this.#subscribe(tenantId) };
    this.#byTenant.set(tenantId, tenant);
    const open = { caller, response, check };
    tenant.open.add(open);
    response.once('close', () => {
      tenant.open.delete(open);
      if (tenant.open.size > 0 || this.#byTenant.get(tenantId) !== tenant) return;
      tenant.unsubscribe();
      this.#byTenant.delete(tenantId);
    });
    // A revocation may have come after the request was authenticated.
    void this.#endRevoked(tenantId, [open]);
  }

  #subscribe(tenantId: string): () => void {
    return this.bus.subscribe(revocationChannel(tenantId), () => void this.#endRevoked(tenantId), 'hints');
  }

  async #recheck(): Promise<void> {
    for (const tenantId of [...this.#byTenant.keys()]) {
      await this.#endRevoked(tenantId);
      for (const { caller, response, check } of [...(this.#byTenant.get(tenantId)?.open ?? [])]) {
        if (check === null || response.destroyed) continue;
        try {
          await check({ ...caller, now: this.clock.now() });
        } catch (error) {
          if (error instanceof DomainError && (error.code === 'session_not_found' || error.code === 'forbidden')) response.end();
          else this.#log.warn({ msg: 'The right of an open stream could not be checked; the next check retries.', err: error });
        }
      }
    }
  }

  async #endRevoked(tenantId: string, open: readonly Open[] = [...(this.#byTenant.get(tenantId)?.open ?? [])]): Promise<void> {
    if (open.length === 0) return;
    try {
      const ended = await this.credentials.ended(tenantId, [...new Set(open.map(({ caller }) => caller))]);
      for (const { caller, response } of open) if (ended.has(caller)) response.end();
    } catch (error) {
      const now = this.clock.now();
      for (const { caller, response } of open) if (caller.expiresAt !== undefined && Date.parse(caller.expiresAt) <= now) response.end();
      this.#log.warn({ msg: 'The credentials of open streams could not be checked; the next check retries.', err: error });
    }
  }
}
