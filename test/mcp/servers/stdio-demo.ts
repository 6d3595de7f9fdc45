import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { demoServer } from './demo-server.js';

process.stdout.write('hello, this line is no message\n');
serveStdio(() => demoServer(), process.argv[2] === 'newest-only' ? { legacy: 'reject' } : {});
