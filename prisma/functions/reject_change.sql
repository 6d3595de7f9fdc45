-- Trigger function for tables whose rows are immutable.
CREATE OR REPLACE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % rejected: recorded rows are immutable', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'VB001', HINT = 'Record a correction as a new event, through append_events.';
END $$;
