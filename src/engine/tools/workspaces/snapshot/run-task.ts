import { Worker } from 'node:worker_threads';
import type { Task, TaskInput, TaskResults } from './task.js';

type Answer<K extends Task['kind']> = { readonly result: TaskResults[K] } | { readonly fault: { readonly message: string; readonly code?: string } };

/** Threads that wait for a task: starting one costs more than most tasks. They keep no process from ending. */
const idle: Worker[] = [];
const MOST_IDLE = 2;

/** Runs a task in a worker thread, in bounded time. Rejects with what the file system says. */
export function runTask<K extends Task['kind']>(input: TaskInput & { readonly task: { readonly kind: K } }, timeoutMs: number): Promise<TaskResults[K]> {
  const thread = idle.pop() ?? new Worker(new URL('./task-thread.js', import.meta.url), { env: {}, execArgv: [] });
  thread.ref();
  return new Promise((resolve, reject) => {
    const end = (isReusable: boolean, work: () => void): void => {
      clearTimeout(timer);
      for (const name of ['message', 'error', 'exit']) thread.removeAllListeners(name);
      thread.unref();
      if (isReusable && idle.length < MOST_IDLE) keep(thread);
      else void thread.terminate();
      work();
    };
    const fail = (message: string, code?: string): void => reject(Object.assign(new Error(message), { code }));
    const timer = setTimeout(() => end(false, () => fail(`the session's folder did not respond within ${timeoutMs} ms`, 'ETIMEDOUT')), timeoutMs);
    thread.once('message', (answer: Answer<K>) =>
      end(true, () => ('fault' in answer ? fail(answer.fault.message, answer.fault.code) : resolve(answer.result))),
    );
    thread.once('error', (error) => end(false, () => reject(error)));
    thread.once('exit', () => end(false, () => fail('the thread that reads a folder has ended')));
    thread.postMessage(input);
  });
}

/** A thread that ends while it waits, such as by lack of memory, is no thread for the next task. */
function keep(thread: Worker): void {
  idle.push(thread);
  const forget = (): void => {
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
  };
  thread.once('error', forget).once('exit', forget);
}
