-- Changes functions only: is_present and end_abandoned_leases are new (prisma/functions).
-- min build: 20260101000000_initial
SELECT 1;
