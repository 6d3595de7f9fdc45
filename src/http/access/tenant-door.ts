import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Lanes } from '../../platform/async/lanes.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Telemetry } from '../../ports/index.js';

interface Waiting {
  readonly enter: () => void;
}

/** Leaves of the requests that are inside. */
const inside = new WeakMap<Response, () => void>();

/** The request only waits from now on, or streams: it makes room for others. */
export const leaveDoor = (response: Response): void => inside.get(response)?.();

/**
 * Admits requests so that no tenant takes the process from the others: so many are worked on at once, of one tenant fewer, and the rest wait before their bodies are read, in a lane for each tenant.
 * The lanes take turns, so who floods waits for itself, and is told to slow down when its lane is full or its time is over.
 */
@Injectable()
export class TenantDoor {
  readonly #lanes = new Lanes<Waiting>();
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(
    @Inject(SETTINGS)
    private readonly settings: Pick<Settings, 'REQUESTS_AT_ONCE' | 'TENANT_REQUESTS_AT_ONCE' | 'TENANT_REQUESTS_WAITING' | 'REQUEST_WAIT_MS'>,
    private readonly telemetry: Telemetry,
  ) {}

  /** Resolves when the request may continue: until its response ends, or `leaveDoor`. Throws `tenant_busy`. */
  async enter(tenantId: string, response: Response): Promise<void> {
    if (this.#hasRoom(tenantId)) this.#admit(tenantId, response);
    else await this.#wait(tenantId, response);
  }

  #admit(tenantId: string, response: Response): void {
    this.#count(tenantId, 1);
    const leave = (): void => {
      if (!inside.delete(response)) return;
      this.#count(tenantId, -1);
      this.#lanes.take((_, next) => this.#hasRoom(next))?.enter();
    };
    inside.set(response, leave);
    response.once('close', leave);
  }

  #wait(tenantId: string, response: Response): Promise<void> {
    const { TENANT_REQUESTS_WAITING: most, REQUEST_WAIT_MS: waitMs } = this.settings;
    if (this.#lanes.of(tenantId) >= most) throw this.#busy('full');
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        response.off('close', gone);
        this.#lanes.remove(tenantId, waiting);
        this.telemetry.gauge('requests_waiting', this.#lanes.size);
      };
      const waiting: Waiting = {
        enter: () => {
          end();
          this.#admit(tenantId, response);
          resolve();
        },
      };
      const fail = (reason: 'late' | 'gone') => (): void => {
        end();
        reject(this.#busy(reason));
      };
      const gone = fail('gone');
      const timer = setTimeout(fail('late'), waitMs);
      response.once('close', gone);
      this.#lanes.add(tenantId, waiting);
      this.telemetry.gauge('requests_waiting', this.#lanes.size);
    });
  }

  #hasRoom(tenantId: string): boolean {
    return this.#total < this.settings.REQUESTS_AT_ONCE && (this.#running.get(tenantId) ?? 0) < this.settings.TENANT_REQUESTS_AT_ONCE;
  }

  #count(tenantId: string, by: 1 | -1): void {
    const running = (this.#running.get(tenantId) ?? 0) + by;
    this.#total += by;
    if (running > 0) this.#running.set(tenantId, running);
    else this.#running.delete(tenantId);
  }

  #busy(reason: 'full' | 'late' | 'gone'): DomainError {
    this.telemetry.count('requests_refused', { reason });
    return new DomainError(
      'tenant_busy',
      'Your tenant has more requests in progress than its share of this server; send fewer at once, and this one again later.',
      [],
      {
        retryAfter: 1,
      },
    );
  }
}
