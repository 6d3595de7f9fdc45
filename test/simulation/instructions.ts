import { toldIn } from '../../packages/protocol/message/standing.js';
import { contextEntries } from '../../src/session/payload/conversation.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import type { SessionState } from '../../src/session/state/state.js';
import { TenantConfiguration } from '../../src/ports/index.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../src/session/tenants/tenant-settings.js';
import type { Scheduler } from './scheduler.js';

const CHANGED_EVERY_MS = 15_000;

/** The instructions of all tenants, which change all the time. */
export class Instructions extends TenantConfiguration {
  readonly #history: { readonly text: string; readonly since: number }[] = [];

  constructor(scheduler: Scheduler) {
    super();
    const change = (): void => {
      this.#history.push({ text: `Rule ${this.#history.length} of the house.`, since: Math.floor(scheduler.now) });
      scheduler.after(CHANGED_EVERY_MS, change);
    };
    change();
  }

  override async read(): Promise<TenantSettings> {
    return { ...NO_TENANT_SETTINGS, instructions: this.#history.at(-1)!.text };
  }

  override change(): Promise<never> {
    throw new Error('not simulated');
  }

  /** What is wrong with a request: it lacks the instructions. They are read after the log, and before the append of the request. */
  missingIn(body: string, then: SessionState, sent: SessionEvent, events: readonly SessionEvent[]): string | null {
    const before = events.findLast(({ seq, time }) => seq < sent.seq && time < sent.time);
    const from = Date.parse(before?.time ?? '') || 0;
    const inForce = this.#history.filter(({ since }, index) => since <= Date.parse(sent.time) && (this.#history[index + 1]?.since ?? Infinity) >= from);
    const told = toldIn(contextEntries(then)).get('tenant-instructions')?.['content'];
    return inForce.some(({ text }) => text === told && body.includes(text)) ? null : `has instructions that are not in force: ${String(told)}`;
  }
}
