import 'reflect-metadata';
import path from 'node:path';
import { readSettings, SettingsError } from './config/env.js';
import { printBanner } from './banner.js';

/** Starts a role: api, worker, or both. */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const { start } = await import('./start.js');
  const running = await start(settings);
  process.stdout.write(printBanner(running, settings.ROLE, path.join(settings.DATA_DIR, 'dev-token')));

  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1); // a second signal ends the process at once
      stopping = true;
      running.stop().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
    });
  }
}

/** Errors that the operator can fix are printed as a message, all others with a stack trace. */
function fail(error: unknown): never {
  const expected = error instanceof SettingsError || (error instanceof Error && 'code' in error);
  process.stderr.write(`${expected ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
