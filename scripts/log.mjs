// `npm run -s log -- …`: see src/log.ts.
import { compileForStart } from './compiler.mjs';

await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/log.js');
