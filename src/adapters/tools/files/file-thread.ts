import { parentPort, workerData } from 'node:worker_threads';
import { PathResolver } from './path-resolver.js';
import { edit } from './edit.js';
import { faultOf } from './file-error.js';
import { glob } from './glob.js';
import { grep } from './grep.js';
import type { Confines, Done, Operation } from './operation.js';
import { read } from './read.js';
import { write } from './write.js';

/** One operation in a thread of its own, which can be stopped whatever it is at: an expression without end, a disk that does not answer. */
const { operation, confines } = workerData as { readonly operation: Operation; readonly confines: Confines };

function carryOut(): Done {
  const { input, tool } = operation;
  const beneath = new PathResolver(confines.root, confines.account);
  try {
    switch (tool) {
      case 'Read':
        return read(input, beneath, confines);
      case 'Write':
        return write(input, beneath, confines);
      case 'Edit':
        return edit(input, beneath, confines);
      case 'Glob':
        return glob(input, beneath, confines);
      case 'Grep':
        return grep(input, beneath, confines);
    }
  } catch (error) {
    return { fault: faultOf(error, 'file_path' in input ? input.file_path : (input.path ?? 'The folder')).message };
  }
}

parentPort?.postMessage(carryOut());
