import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook } from 'node:module';

/** Module hooks that load one module from another file. */
let url = '';
let from = '';

export const initialize: InitializeHook<{ readonly url: string; readonly from: string }> = (data) => {
  ({ url, from } = data);
};

export const load: LoadHook = async (asked, context, next) =>
  asked === url ? { format: 'module', shortCircuit: true, source: await readFile(from, 'utf8') } : next(asked, context);
