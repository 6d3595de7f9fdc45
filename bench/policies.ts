import { randomUUID } from 'node:crypto';
import { PostgresEventStore } from '../src/engine/store/postgres-event-store.js';
import { PostgresSessionList } from '../src/engine/store/postgres-session-list.js';
import { Database } from '../src/platform/postgres/store/prisma.js';
import { NO_ENCRYPTION } from '../test/support/encryption.js';
import { appendOf, type BenchDatabase, compare, describeFigures, eventsOf, type StoreFigure, TENANT, timed, withOwner } from './store.js';

const CALLS = 300;

/** Sends statements without a tenant: for a database without policies. */
class OpenDatabase extends Database {
  override inTenant<Result>(_: string, ...work: Parameters<typeof this.run<Result>>): Promise<Result> {
    return this.run(...work);
  }
}

/** What row level security costs: the same calls on two databases in turn, one of them without policies and without the setting of a tenant. */
export async function benchPolicies(freshDatabase: () => Promise<BenchDatabase & { drop(): Promise<void> }>): Promise<void> {
  const [guarded, open] = [await freshDatabase(), await freshDatabase()];
  await withOwner(open.ownerUrl, [
    `DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_policies LOOP EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', t); END LOOP; END $$`,
    // The views compare with the setting.
    `ALTER DATABASE "${new URL(open.ownerUrl).pathname.slice(1)}" SET verbatim.tenant = '${TENANT}'`,
  ]);
  const common = { poolSize: 4, timeoutMs: 60_000, applicationName: 'verbatim bench' };
  const databases = [new Database({ ...common, url: guarded.appUrl }), new OpenDatabase({ ...common, url: open.appUrl })] as const;
  try {
    const session = randomUUID();
    const stores = databases.map((database) => new PostgresEventStore(database, NO_ENCRYPTION));
    for (const store of stores) await store.append(appendOf(session, 0, eventsOf(500)));
    const lists = databases.map((database) => new PostgresSessionList(database, NO_ENCRYPTION));
    const figures: StoreFigure[] = [];
    const add = async (name: string, work: (index: number) => Promise<unknown>): Promise<void> => {
      const each = (index: number) => async () => {
        const all = await timed(async () => {
          for (let call = 0; call < CALLS; call += 1) await work(index);
        });
        return all / CALLS;
      };
      figures.push(await compare(name, each(0), each(1)));
    };
    await add('append 1 event', (index) => stores[index]!.append(appendOf(randomUUID(), 0, eventsOf(1))));
    await add('append 10 events', (index) => stores[index]!.append(appendOf(randomUUID(), 0, eventsOf(10))));
    await add('read what is new: nothing', (index) => stores[index]!.load(TENANT, session, 500));
    await add('read 500 events', (index) => stores[index]!.load(TENANT, session));
    await add('list a page of 50 sessions', (index) => lists[index]!.list(TENANT, { userId: null, archived: false }, 50, null));
    process.stdout.write(`\nRow level security (bare: without)\n${describeFigures(figures)}\n`);
  } finally {
    for (const database of databases) await database.close();
    await Promise.all([guarded.drop(), open.drop()]);
  }
}
