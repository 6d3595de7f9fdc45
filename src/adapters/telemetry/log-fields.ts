import { AsyncLocalStorage } from 'node:async_hooks';
import type { Labels } from '../../core/ports.js';

const storage = new AsyncLocalStorage<Labels>();

/** The fields that belong to whatever is going on here. */
export function currentFields(): Labels {
  return storage.getStore() ?? {};
}

/** Runs `work`, and everything it starts, with `fields` on top of those in force. */
export function withFields<T>(fields: Labels, work: () => T): T {
  return storage.run({ ...currentFields(), ...fields }, work);
}
