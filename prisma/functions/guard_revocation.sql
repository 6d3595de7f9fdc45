-- Trigger function for api_token: a revocation is final.
CREATE OR REPLACE FUNCTION guard_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'UPDATE on api_token rejected: a revocation cannot be changed'
      USING ERRCODE = 'VB001', HINT = 'Create a new token.';
  END IF;
  RETURN NEW;
END $$;
