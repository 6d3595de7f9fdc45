// `npm run compile`. With `--unchecked` only what the server and the tests run, without types: what is generated from their schemas is part of the types of the client.
import { compileAll, compileUnchecked } from './compiler.mjs';

await (process.argv.includes('--unchecked') ? compileUnchecked() : compileAll());
