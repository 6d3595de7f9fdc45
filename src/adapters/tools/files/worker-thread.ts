import { Worker } from 'node:worker_threads';
import type { Confines, Done, Operation } from './operation.js';

export interface ThreadLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** Carries out an operation beside the event loop; it ends in bounded time and memory, and never rejects. */
export function runInWorkerThread(operation: Operation, confines: Confines, limits: ThreadLimits, signal: AbortSignal): Promise<Done> {
  return new Promise((resolve) => {
    const thread = new Worker(new URL('./file-thread.js', import.meta.url), {
      workerData: { operation, confines },
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
      env: {},
      execArgv: [],
    });
    const finish = (done: Done): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve(done);
      void thread.terminate();
    };
    const interrupt = (): void => finish({ fault: `${operation.tool} was interrupted.` });
    const timer = setTimeout(() => finish({ fault: `${operation.tool} was stopped: it took longer than ${limits.timeoutMs} ms.` }), limits.timeoutMs);
    thread.once('message', finish);
    thread.once('error', (error) => {
      const full = (error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
      finish({ fault: `${operation.tool} was stopped: ${full ? 'it needed too much memory' : 'it failed'}.` });
    });
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
  });
}
