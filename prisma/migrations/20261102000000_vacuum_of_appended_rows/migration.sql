-- min build: 20260101000000_initial

-- Rows that stay as they are are frozen by the first vacuum that comes to them, and not by one of the whole table years later, which writes every page once more, and its image into the WAL. And the vacuum comes
-- soon, however large the table is: a page that was written since the last checkpoint costs the WAL some bytes, another one its whole image. Not soon where an index is a GIN: each vacuum reads all of it.
ALTER TABLE event SET (
  autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000,
  toast.autovacuum_freeze_min_age = 0, toast.autovacuum_vacuum_insert_scale_factor = 0, toast.autovacuum_vacuum_insert_threshold = 100000
);
ALTER TABLE tlog_run SET (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000);
ALTER TABLE blob SET (
  autovacuum_freeze_min_age = 0,
  toast.autovacuum_freeze_min_age = 0, toast.autovacuum_vacuum_insert_scale_factor = 0, toast.autovacuum_vacuum_insert_threshold = 100000
);
ALTER TABLE search_text SET (autovacuum_freeze_min_age = 0, toast.autovacuum_freeze_min_age = 0);
