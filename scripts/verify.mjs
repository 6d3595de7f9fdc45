// `npm run -s verify -- FILE --key KEY`: see src/verify.ts.
import { compileForStart } from './compiler.mjs';

await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/verify.js');
