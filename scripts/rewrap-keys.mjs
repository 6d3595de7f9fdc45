// `npm run -s rewrap-keys`: see src/rewrap-keys.ts.
import { compileForStart } from './compiler.mjs';

await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/rewrap-keys.js');
