// `npm run -s sealing-status`: see src/sealing-status.ts.
import { compileForStart } from './compiler.mjs';

await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/sealing-status.js');
