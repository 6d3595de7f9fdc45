// `npm run compile`
import { compileAll } from './compiler.mjs';

await compileAll();
