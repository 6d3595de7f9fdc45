// `npm run -s tenant -- TENANT USER`: see src/tenant.ts.
import { compileForStart } from './compiler.mjs';

await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/tenant.js');
