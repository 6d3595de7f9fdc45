import { parentPort } from 'node:worker_threads';
import { codeOf } from './descent.js';
import { read } from './read.js';
import { scanAgain } from './scan-memory.js';
import type { TaskInput } from './task.js';
import { write } from './write.js';

/** Runs tasks, one after the other. A thread can be terminated whatever it does, such as wait for a disk that does not respond. */
function execute(input: TaskInput): unknown {
  const { task } = input;
  switch (task.kind) {
    case 'scan':
      return scanAgain(input, task);
    case 'read':
      return read(input, task.paths, task.fileBytes);
    case 'write':
      return write(input, task);
  }
}

parentPort?.on('message', (input: TaskInput) => {
  try {
    parentPort?.postMessage({ result: execute(input) });
  } catch (error) {
    parentPort?.postMessage({ fault: { message: (error as Error).message, code: codeOf(error) } });
  }
});
