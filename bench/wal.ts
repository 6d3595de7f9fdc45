import type pg from 'pg';

export interface Written {
  /** By table or index and kind of record, largest first, as text for a report. */
  readonly lines: readonly string[];
  /** Bytes of full-page images, the copy of a page at its first change since a checkpoint, and of the catalog, where the planner's statistics are: what a turn did not cause. */
  readonly besides: number;
}

/** Where the bytes of the WAL went since a position. */
export async function writtenSince(client: pg.Client, from: string, per: number): Promise<Written> {
  // A record can change several pages: it counts for the first of them.
  const { rows } = await client.query<{ name: string; relation: string | null; bytes: string; images: string; records: string }>(
    `SELECT coalesce(c.relname, '(none)') || ' ' || r.resource_manager || '/' || r.record_type AS name, c.relname AS relation,
       sum(r.record_length) AS bytes, sum(r.fpi_length) AS images, count(*) AS records
     FROM pg_get_wal_records_info($1, pg_current_wal_flush_lsn()) r
     LEFT JOIN LATERAL (SELECT (regexp_match(r.block_ref, 'rel \\d+/\\d+/(\\d+)'))[1]::oid AS node) b ON true
     LEFT JOIN pg_class c ON c.relfilenode = b.node
     GROUP BY 1, 2 ORDER BY 3 DESC`,
    [from],
  );
  const lines = rows
    .filter(({ bytes }) => Number(bytes) / per >= 10)
    .map(({ name, bytes, images, records }) => {
      const pages = Number(images) === 0 ? '' : `, of which ${(Number(images) / per).toFixed(0)} B of page images`;
      return `${(Number(bytes) / per).toFixed(0).padStart(5)} B  ${(Number(records) / per).toFixed(2).padStart(5)} records  ${name}${pages}`;
    });
  const besides = rows.reduce((sum, { relation, bytes, images }) => sum + (/^pg_(?!toast_1[0-9]{4})/.test(relation ?? '') ? Number(bytes) : Number(images)), 0);
  return { lines, besides };
}

/** The bytes of WAL that the server has made since it was created. */
export async function walAt(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ at: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS at`);
  return Number(rows[0]!.at);
}
