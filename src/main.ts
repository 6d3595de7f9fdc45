import 'reflect-metadata';
import path from 'node:path';
import { earlierNames } from './platform/config/earlier-names.js';
import { readSettings, SettingsError } from './platform/config/env.js';
import { misspeltSettings } from './platform/config/misspelt.js';
import { printBanner } from './banner.js';

/** A signal within this many milliseconds of the first is the same request: npm, or a supervisor, delivers the terminal's Ctrl-C a second time. */
const SAME_REQUEST_MS = 1_000;

/** Starts a role: api, worker, or both. */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  for (const line of earlierNames(process.env)) process.stderr.write(`${line}\n`);
  for (const { name, meant } of misspeltSettings(process.env)) process.stderr.write(`${name} is not a setting and has no effect. Did you mean ${meant}?\n`);
  const { start } = await import('./start.js');
  const stopping = new AbortController();
  const starting = start(settings, stopping.signal);
  let firstSignalAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) {
        if (performance.now() - firstSignalAt > SAME_REQUEST_MS) process.exit(1); // a second request ends the process at once
        return;
      }
      firstSignalAt = performance.now();
      stopping.abort();
      starting
        .then(
          (running) => running.stop(),
          () => undefined, // the start was interrupted, and has closed what it had opened
        )
        .then(() => process.exit(0), fail);
    });
  }
  const running = await starting.catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
    return null;
  });
  if (running) process.stderr.write(printBanner(running, settings.ROLE, path.join(settings.DATA_DIR, 'dev-token')));
}

/** Errors that the operator can fix are printed as a message, all others with a stack trace. */
function fail(error: unknown): never {
  const expected = error instanceof SettingsError || (error instanceof Error && 'code' in error);
  process.stderr.write(`${expected ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
