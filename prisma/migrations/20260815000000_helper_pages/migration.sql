-- min build: 20260101000000_initial
-- open_helpers takes another page. Processes of the build before ask for it in vain and say so in their log: the end of a helper is attended to by processes of this build.
DROP FUNCTION IF EXISTS open_helpers(bigint);
