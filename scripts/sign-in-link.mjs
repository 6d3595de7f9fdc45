// `npm run -s sign-in-link -- [TENANT USER]`: see src/sign-in-link.ts.
import { compileForStart } from './compiler.mjs';

await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/sign-in-link.js');
