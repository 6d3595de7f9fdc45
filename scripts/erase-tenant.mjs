// `npm run -s erase-tenant -- TENANT [REASON]`: see src/erase-tenant.ts.
import { compileForStart } from './compiler.mjs';

await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/erase-tenant.js');
