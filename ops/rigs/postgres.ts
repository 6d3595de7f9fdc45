import { setTimeout as pause } from 'node:timers/promises';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { PgBouncer } from '../../test/support/pgbouncer.js';
import { ReplicatedPostgres } from '../../test/support/replicated-postgres.js';
import { prepareTemplate } from '../../test/support/template.js';
import type { Rig } from './rig.js';

/** So long something is away. */
const AWAY_MS = 3_000;

export const replica: Rig = {
  name: 'replica',
  about: 'reads on a standby (DATABASE_READ_URL), whose replay pauses, which freezes, is killed, comes back and is promoted',
  programs: [],
  async start() {
    const postgres = await ReplicatedPostgres.start('verbatim', { isSynchronous: false });
    const settings = { DATABASE_URL: postgres.primaryUrl, DATABASE_READ_URL: postgres.standbyUrl };
    return {
      servers: [settings, settings],
      databaseUrl: postgres.primaryUrl,
      faults: [
        {
          name: 'replay pauses',
          isShort: true,
          inject: async () => {
            await postgres.pauseReplay();
            await pause(AWAY_MS);
          },
          repair: () => postgres.resumeReplay(),
        },
        {
          name: 'the standby freezes',
          isShort: true,
          inject: async () => {
            await postgres.freezeStandby();
            await pause(AWAY_MS);
          },
          repair: () => postgres.thawStandby(),
        },
        {
          name: 'the standby is killed',
          isShort: false,
          inject: async () => {
            await postgres.killStandby();
            await pause(AWAY_MS);
          },
          repair: () => postgres.startStandby(),
        },
        { name: 'the standby is promoted', isShort: true, inject: () => postgres.promoteStandby().then(() => pause(AWAY_MS)) },
      ],
      stop: () => postgres.stop(),
    };
  },
};

export const pooler: Rig = {
  name: 'pooler',
  about: 'the application through PgBouncer in transaction mode, which freezes, and is killed and comes back',
  programs: ['pgbouncer'],
  async start() {
    const database = await startEmbeddedPostgres({ database: 'rig' });
    await prepareTemplate(database.url); // makes the login that PgBouncer has to know
    const bouncer = await PgBouncer.start(appLogin(database.url).appUrl, 30);
    const settings = { DATABASE_APP_URL: bouncer.url };
    return {
      servers: [settings, settings],
      databaseUrl: database.url,
      faults: [
        {
          name: 'PgBouncer freezes',
          isShort: false,
          inject: async () => {
            bouncer.signal('SIGSTOP');
            await pause(AWAY_MS);
            bouncer.signal('SIGCONT');
          },
        },
        {
          name: 'PgBouncer is killed and starts again',
          isShort: true,
          inject: async () => {
            await bouncer.kill();
            await pause(AWAY_MS);
            await bouncer.startAgain();
          },
        },
      ],
      stop: async () => {
        await bouncer.stop();
        await database.stop();
      },
    };
  },
};
