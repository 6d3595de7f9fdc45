-- Data keys of all tenants that another key than p_current wraps, after an id, in the order of ids.
CREATE OR REPLACE FUNCTION keys_to_rewrap(p_current text, p_after uuid, p_limit int) RETURNS TABLE (id uuid, key_id text, wrapped bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT d.id, d.key_id, d.wrapped FROM data_key d WHERE d.key_id <> p_current AND d.id > p_after ORDER BY d.id LIMIT p_limit
$$;
