import { Worker } from 'node:worker_threads';
import type { FileLimits, FileScope, Operation, OperationResult } from './operation.js';

export interface ThreadLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** Runs an operation in a worker thread, in bounded time and memory. Never rejects. */
export function runInWorkerThread(
  operation: Operation,
  scope: FileScope,
  { timeoutMs, memoryMb, ...limits }: FileLimits & ThreadLimits,
  signal: AbortSignal,
): Promise<OperationResult> {
  return new Promise((resolve) => {
    const thread = new Worker(new URL('./file-thread.js', import.meta.url), {
      workerData: { operation, scope, limits },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      env: {},
      execArgv: [],
    });
    const finish = (result: OperationResult): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve(result);
      void thread.terminate();
    };
    const interrupt = (): void => finish({ fault: `${operation.tool} was interrupted.` });
    const timer = setTimeout(() => finish({ fault: `${operation.tool} was stopped: it took longer than ${timeoutMs} ms.` }), timeoutMs);
    thread.once('message', finish);
    thread.once('error', (error) => {
      const isOutOfMemory = (error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
      finish({ fault: `${operation.tool} was stopped: ${isOutOfMemory ? 'it needed too much memory' : 'it failed'}.` });
    });
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
  });
}
