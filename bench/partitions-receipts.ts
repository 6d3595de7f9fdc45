import type pg from 'pg';
import { table } from './report.js';
import { walAt } from './wal.js';

const ROWS = 1_000_000;
const COUNTS = [1, 4, 32] as const;
const PRUNED = 1 / 4; // of all: about the share of dead rows at which a vacuum begins
const BATCH = 1_000;
const APPENDS = 2_000;

const VALUES = `gen_random_uuid(), uuid_send(gen_random_uuid()), sha256(''), gen_random_uuid(), 1, 3`;

/**
 * Receipts in one table, pruned by deletion, beside receipts in partitions by time, pruned by dropping the oldest: then the key of a command is unique within its time only, and an append
 * looks in all of them.
 */
export async function measureReceipts(client: pg.Client): Promise<void> {
  const figures = new Map<string, number[]>();
  const note = async (what: string, per: number, work: () => Promise<unknown>): Promise<void> => {
    await client.query('CHECKPOINT');
    const [from, began] = [await walAt(client), performance.now()];
    await work();
    const us = ((performance.now() - began) * 1_000) / per;
    const bytes = ((await walAt(client)) - from) / per;
    for (const [unit, value] of [
      ['µs', us],
      ['WAL, bytes', bytes],
    ] as const)
      figures.set(`${what}, ${unit}`, [...(figures.get(`${what}, ${unit}`) ?? []), value]);
  };
  for (const count of COUNTS) {
    const name = `receipt_${count}`;
    const at = (part: number): string => `date '2030-01-01' + ${part} * interval '30 days'`;
    await client.query(
      count === 1
        ? `CREATE TABLE ${name} (LIKE receipt INCLUDING ALL)`
        : `CREATE TABLE ${name} (LIKE receipt, PRIMARY KEY (tenant_id, command_id, created_at)) PARTITION BY RANGE (created_at);
           CREATE INDEX ON ${name} (tenant_id, session_id) WHERE last_seq < first_seq;
           DO $$ BEGIN FOR part IN 0..${count - 1} LOOP
             EXECUTE format('CREATE TABLE %I PARTITION OF ${name} FOR VALUES FROM (%L) TO (%L)', '${name}_' || part, ${at(0)} + part / ${count}.0 * interval '30 days', ${at(0)} + (part + 1) / ${count}.0 * interval '30 days');
           END LOOP; END $$`,
    );
    // In the order of time, as appends write them.
    await note('filled, a receipt', ROWS, () =>
      client.query(
        `INSERT INTO ${name} SELECT ('00000000-0000-0000-0000-' || lpad((n % 1000)::text, 12, '0'))::uuid, ${VALUES}, ${at(0)} + n * interval '30 days' / ${ROWS + 1} FROM generate_series(1, ${ROWS}) AS n`,
      ),
    );
    await client.query(`VACUUM ANALYZE ${name}`);
    await client.query(`CREATE PROCEDURE append_${name}(p_times int) LANGUAGE plpgsql AS $$ DECLARE command uuid; BEGIN
      FOR n IN 1..p_times LOOP
        command := gen_random_uuid();
        PERFORM FROM ${name} r WHERE r.tenant_id = '00000000-0000-0000-0000-000000000001' AND r.command_id = command;
        INSERT INTO ${name} (tenant_id, command_id, salt, request_digest, session_id, first_seq, last_seq, created_at)
        VALUES ('00000000-0000-0000-0000-000000000001', command, uuid_send(gen_random_uuid()), sha256(''), gen_random_uuid(), 1, 3, ${at(1)} - interval '1 minute') ON CONFLICT DO NOTHING;
        COMMIT;
      END LOOP; END $$`);
    await client.query(`CALL append_${name}(100)`);
    await note('look-up and receipt of an append', APPENDS, () => client.query(`CALL append_${name}(${APPENDS})`));
    const pruned = ROWS * PRUNED;
    await note('pruned', pruned, async () => {
      for (let part = 0; count > 1 && part < count * PRUNED; part += 1)
        await client.query(`ALTER TABLE ${name} DETACH PARTITION ${name}_${part}; DROP TABLE ${name}_${part}`);
      for (let deleted: number | null = 1; count === 1 && deleted;) {
        ({ rowCount: deleted } = await client.query(
          `DELETE FROM ${name} r WHERE (r.tenant_id, r.command_id) IN (SELECT o.tenant_id, o.command_id FROM ${name} o WHERE o.created_at < ${at(0)} + ${PRUNED} * interval '30 days' ORDER BY o.created_at LIMIT ${BATCH})`,
        ));
      }
    });
    await note('vacuum after it', pruned, async () => (count === 1 ? client.query(`VACUUM (PARALLEL 0) ${name}`) : undefined));
  }
  table(
    `Receipts: ${ROWS} (one table; partitions by time: ${COUNTS.slice(1).join(', ')})`,
    [...figures].map(([what, values]) => [what, ...values.map((value) => value.toFixed(1))] as const),
  );
}
