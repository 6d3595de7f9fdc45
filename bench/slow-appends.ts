import { withConnection } from '../src/platform/postgres/connect.js';

/** Which of the things that are being done take long, and what the server does meanwhile. */
export interface SlowWatch {
  /** Times the work; while it takes longer than the limit, the server is asked what it waits for. */
  timed(work: () => Promise<unknown>): Promise<number>;
  /** Waits that were seen since the last call, most frequent first, with how often they were. */
  waits(): readonly (readonly [string, number])[];
}

/** Milliseconds between two looks. */
const EVERY_MS = 10;

const ACTIVITY = `SELECT CASE WHEN backend_type = 'client backend' THEN application_name ELSE backend_type END || ': ' || coalesce(wait_event_type || '/' || wait_event, 'CPU') AS waits
  FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND (state = 'active' OR (backend_type <> 'client backend' AND wait_event_type IS DISTINCT FROM 'Activity'))`;

/** Runs work with a watch on the database. */
export function withSlowWatch<Result>(ownerUrl: string, limitMs: number, work: (watch: SlowWatch) => Promise<Result>): Promise<Result> {
  return withConnection(ownerUrl, 60_000, async (client) => {
    const running = new Set<number>();
    let found = new Map<string, number>();
    let isLooking = false;
    const look = async (): Promise<void> => {
      const now = performance.now();
      if (isLooking || ![...running].some((start) => now - start > limitMs)) return;
      isLooking = true;
      for (const { waits } of (await client.query<{ waits: string }>(ACTIVITY)).rows) found.set(waits, (found.get(waits) ?? 0) + 1);
      isLooking = false;
    };
    const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS);
    try {
      return await work({
        async timed(one) {
          const start = performance.now();
          running.add(start);
          await one().finally(() => running.delete(start));
          return performance.now() - start;
        },
        waits() {
          const sorted = [...found].sort(([, a], [, b]) => b - a);
          found = new Map();
          return sorted;
        },
      });
    } finally {
      clearInterval(timer);
    }
  });
}
