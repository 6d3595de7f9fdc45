/** Does what the id of the session says: a program that can misbehave in every way there is. */
import { serveComputeTasks, type Worker } from '../../src/platform/compute-pool/serve.js';
import { DomainError } from '../../packages/protocol/errors.js';

const forgotten: string[] = [];

const open =
  async (setup: unknown): Promise<Worker> =>
  async (task) => {
    if ('body' in task) return { length: task.body.length, first: task.body[0], last: task.body.at(-1) };
    switch (task.kind === 'fit' ? task.image.sessionId : task.sessionId) {
      case 'set-up':
        return { version: 3, setup, pid: process.pid };
      case 'forgotten':
        return { forgotten };
      case 'reject':
        throw new DomainError('invalid_input', 'No.', [{ pointer: '/a', text: 'b' }], { limit: 7 });
      case 'fail':
        throw new TypeError('a bug');
      case 'hang':
        for (;;);
      case 'eat': {
        const kept: object[] = [];
        for (;;) kept.push({});
      }
      case 'leave':
        process.stderr.write('on my way out\n');
        return process.exit(5);
      case 'break':
        process.kill(process.pid, 'SIGSEGV');
        return new Promise(() => {});
      default:
        return new Promise(() => {});
    }
  };

serveComputeTasks(open, ({ tenantId, sessionId }) => forgotten.push(`${tenantId}/${sessionId}`));
