-- Adds leaves to the transparency log, with the tiles that they complete and the checkpoint over them, all or none. False: the caller has lost
-- the lease, or the tree does not have the size that the leaves continue; nothing has been written.
--
-- p_hashes holds the leaf hashes, one after the other, 32 bytes each. The arrays of runs are parallel, and so are those of tiles; run i has the next
-- p_counts[i] hashes, which are those of the events of one session from p_seqs[i] on. p_transaction and p_position name the last event in the feed.
CREATE OR REPLACE FUNCTION extend_tlog(
  p_holder uuid, p_fence bigint, p_from bigint,
  p_tenants uuid[], p_sessions uuid[], p_seqs bigint[], p_counts int[], p_hashes bytea,
  p_levels int[], p_tiles bigint[], p_tile_hashes bytea, p_tile_roots bytea,
  p_root bytea, p_note text, p_verifier text, p_transaction xid8, p_position bigint
) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  added bigint := octet_length(p_hashes) / 32;
BEGIN
  -- The order of the leaves follows from the feed alone: if a server crash undoes this commit, the same tree is built again, and no checkpoint that
  -- was served becomes wrong. No need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Locked until the commit: no other process can take the lease in between.
  PERFORM FROM task_lease l WHERE l.task = 'sequence' AND l.holder = p_holder AND l.fence = p_fence FOR UPDATE;
  IF NOT FOUND OR p_from <> coalesce((SELECT max(c.size) FROM tlog_checkpoint c), 0) THEN
    RETURN false;
  END IF;
  IF added IS DISTINCT FROM (SELECT coalesce(sum(c), 0) FROM unnest(p_counts) AS c) THEN
    RAISE EXCEPTION 'extend_tlog: % hashes for other counts', added USING ERRCODE = 'VB003';
  END IF;

  INSERT INTO tlog_run (first_index, tenant_id, session_id, first_seq, hashes)
  SELECT p_from + r.ends - r.leaves, r.tenant, r.session, r.seq, substring(p_hashes FROM (32 * (r.ends - r.leaves) + 1)::int FOR 32 * r.leaves)
  FROM (SELECT u.tenant, u.session, u.seq, u.leaves, sum(u.leaves) OVER (ORDER BY u.ordinal) AS ends
        FROM unnest(p_tenants, p_sessions, p_seqs, p_counts) WITH ORDINALITY AS u(tenant, session, seq, leaves, ordinal)) r;

  INSERT INTO tlog_tile (level, tile_index, hashes, root)
  SELECT t.level, t.index, substring(p_tile_hashes FROM (8192 * (t.ordinal - 1) + 1)::int FOR 8192), substring(p_tile_roots FROM (32 * (t.ordinal - 1) + 1)::int FOR 32)
  FROM unnest(p_levels, p_tiles) WITH ORDINALITY AS t(level, index, ordinal);

  INSERT INTO tlog_checkpoint (size, root, note, verifier, transaction, position)
  VALUES (p_from + added, p_root, p_note, p_verifier, p_transaction, p_position);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION extend_tlog FROM PUBLIC;
GRANT EXECUTE ON FUNCTION extend_tlog TO verbatim_app;
