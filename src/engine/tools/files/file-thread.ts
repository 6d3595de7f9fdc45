import { parentPort, workerData } from 'node:worker_threads';
import { edit } from './edit.js';
import { faultOf } from './file-error.js';
import { glob } from './glob.js';
import { grep } from './grep.js';
import type { FileLimits, FileScope, Operation, OperationResult } from './operation.js';
import { PathResolver, type ResolverRoot } from './path-resolver.js';
import { read } from './read.js';
import { write } from './write.js';

/** Runs one operation. A thread can be terminated whatever it does: a regular expression that backtracks for ever, a disk that does not respond. */
const { operation, scope, limits } = workerData as { readonly operation: Operation; readonly scope: FileScope; readonly limits: FileLimits };

const asked = 'file_path' in operation.input ? operation.input.file_path : (operation.input.path ?? '.');

/** The read-only folder that an absolute path names, otherwise the session's folder. */
function rootOf({ workspace, folders }: FileScope): ResolverRoot {
  const folder = folders.find(({ path }) => asked === path || asked.startsWith(`${path}/`));
  if (folder) return { directory: folder.directory, path: folder.path, readOnly: true, account: null };
  return { directory: workspace.root, path: workspace.root, readOnly: false, account: workspace.account };
}

function execute(): OperationResult {
  const { input, tool } = operation;
  const resolver = new PathResolver(rootOf(scope), limits.paths);
  try {
    switch (tool) {
      case 'Read':
        return read(input, resolver, limits);
      case 'Write':
        return write(input, resolver, limits);
      case 'Edit':
        return edit(input, resolver, limits);
      case 'Glob':
        return glob(input, resolver, limits);
      case 'Grep':
        return grep(input, resolver, limits);
    }
  } catch (error) {
    return { fault: faultOf(error, asked === '.' ? 'The folder' : asked).message };
  } finally {
    resolver.close();
  }
}

parentPort?.postMessage(execute());
