import pg from 'pg';

/**
 * Sessions that violate the invariant of the outbox: a turn has exactly one row while it runs or is due, under the name of its current segment, and none
 * otherwise. One statement, and so one snapshot: it holds at any moment, whatever is running. `databaseUrl`: a role that reads the log and the outbox.
 */
export async function turnJobViolations(databaseUrl: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(`
      SELECT s.session_id, s.turn_id AS running, o.job_id AS job, segment.job AS expected
      FROM (SELECT * FROM session WHERE status = 'running') s
      FULL JOIN outbox o ON o.turn_id = s.turn_id
      LEFT JOIN LATERAL (
        SELECT s.turn_id || CASE WHEN e.type = 'turn.resumed' THEN '.' || e.seq ELSE '' END AS job
        FROM event e WHERE e.session_id = s.session_id AND e.type IN ('turn.started', 'turn.resumed') ORDER BY e.seq DESC LIMIT 1
      ) segment ON true
      WHERE o.job_id IS DISTINCT FROM segment.job`);
    return rows;
  } finally {
    await client.end();
  }
}
