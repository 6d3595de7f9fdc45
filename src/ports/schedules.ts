import type { TenantRole } from '../../packages/protocol/access/roles.js';

/** A schedule of prompts that is due. */
export interface DueSchedule {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly scheduleId: string;
  /** RFC 3339. */
  readonly dueAt: string;
}

/** When schedules are due, by the store's own clock. They are written by the append of their events. */
export abstract class Schedules {
  /** The time, RFC 3339. */
  abstract now(): Promise<string>;
  /** Of all tenants, the one that is due longest first; `after`: the last one of the page before. `now`: when that was so, RFC 3339; empty when there is none. */
  abstract due(limit: number, after: DueSchedule | null): Promise<{ readonly now: string; readonly schedules: readonly DueSchedule[] }>;
  /** The role of a user in the tenant; null: the user is unknown, disabled or deleted. */
  abstract roleOf(tenantId: string, userId: string): Promise<TenantRole | null>;
}
