// `npm start`: compiles what changed, then runs the server in this very process: no process stands between a signal and the server,
// none can be left without the other, and the exit code is the server's.
import { compileForStart } from './compiler.mjs';
import { onNpmGone } from './npm-parent.mjs';

onNpmGone('start', () => process.kill(process.pid, 'SIGTERM'));
await compileForStart();
process.setSourceMapsEnabled(true);
await import('../dist/src/main.js');
