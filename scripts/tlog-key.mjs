// `npm run -s tlog-key -- NAME`: see src/tlog-key.ts.
import { compileForStart } from './compiler.mjs';

await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/tlog-key.js');
