-- Files whose bytes lie in the database, of all tenants, after this one in the order of the key.
CREATE OR REPLACE FUNCTION blobs_in_database(p_after uuid, p_after_sha256 bytea, p_limit int) RETURNS TABLE (tenant_id uuid, sha256 bytea, bytes int)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT b.tenant_id, b.sha256, octet_length(b.bytes) FROM blob b
  WHERE b.bytes IS NOT NULL AND (b.tenant_id, b.sha256) > (p_after, p_after_sha256) ORDER BY b.tenant_id, b.sha256 LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION blobs_in_database FROM PUBLIC;
GRANT EXECUTE ON FUNCTION blobs_in_database TO verbatim_app;
