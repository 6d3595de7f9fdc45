import { AsyncLocalStorage } from 'node:async_hooks';
import type { Labels } from '../../ports/index.js';

const storage = new AsyncLocalStorage<Labels>();

/** The log fields of the current asynchronous context. */
export function currentFields(): Labels {
  return storage.getStore() ?? {};
}

/** Runs `work`, and everything it starts, with `fields` added to the current ones. */
export function withFields<T>(fields: Labels, work: () => T): T {
  return storage.run({ ...currentFields(), ...fields }, work);
}
