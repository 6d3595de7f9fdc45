import { type Before, scan } from './scan.js';
import type { Scanned, Task, TaskInput } from './task.js';

/** Most scans that a thread remembers, each of another folder as a rule, and for how long: names of files leave the memory of a process that does nothing with them. */
const MOST = 4;
const KEPT_MS = 60_000;

/** What the scans of this thread have found, the oldest first. */
const memories = new Map<number, Before>();

const NONE: ReadonlySet<string> = new Set();

/** Scans, and remembers what was found. Null: the scan that is named is not remembered. */
export function scanAgain(input: TaskInput, task: Extract<Task, { kind: 'scan' }>): Scanned | null {
  const { id, known, recorded } = task;
  const last = typeof known === 'number' ? recall(known) : null;
  if (typeof known === 'number' && last === null) return null;
  const before = last ?? { files: new Map((known as Exclude<typeof known, number>).map((file) => [file.path, file])), unsure: NONE, recorded: new Map() };
  const from = recorded === null ? before : { ...before, recorded };
  const found = scan(input, task, from);
  remember(id, { files: found.files, unsure: new Set(found.unsure), recorded: from.recorded });
  if (last === null) return { ...found, files: [...found.files.values()], gone: [] };
  const files = [...found.files.values()].filter((file) => last.files.get(file.path) !== file);
  return { ...found, files, gone: [...last.files.keys()].filter((path) => !found.files.has(path)) };
}

/** The next scan takes its place. */
function recall(id: number): Before | null {
  const memory = memories.get(id) ?? null;
  memories.delete(id);
  return memory;
}

function remember(id: number, memory: Before): void {
  memories.set(id, memory);
  setTimeout(() => memories.delete(id), KEPT_MS).unref();
  for (const oldest of memories.keys()) {
    if (memories.size <= MOST) return;
    memories.delete(oldest);
  }
}
