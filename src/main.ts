import 'reflect-metadata';
import path from 'node:path';
import { readSettings, SettingsError } from './config/env.js';
import { printBanner } from './banner.js';

/** Starts a role: api, worker, or both. */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const { start } = await import('./start.js');
  const stopping = new AbortController();
  const starting = start(settings, stopping.signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1); // a second signal ends the process at once
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
  if (running) process.stdout.write(printBanner(running, settings.ROLE, path.join(settings.DATA_DIR, 'dev-token')));
}

/** Errors that the operator can fix are printed as a message, all others with a stack trace. */
function fail(error: unknown): never {
  const expected = error instanceof SettingsError || (error instanceof Error && 'code' in error);
  process.stderr.write(`${expected ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
