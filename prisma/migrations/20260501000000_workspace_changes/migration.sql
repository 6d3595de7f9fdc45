-- The rules of erasures (prisma/functions/skeleton_rules.sql) know the events of session folders. Older builds write none.
-- min build: 20260101000000_initial
SELECT 1;
