import type { ImportSource, SessionSettings } from '../core/session/events.js';
import { namesBytes } from '../core/transfer/foreign-bytes.js';
import { plannerFor, sourceOf } from '../core/transfer/format.js';
import type { ImportFile } from '../core/transfer/import-file.js';
import type { ImportPlan, PlannerOptions } from '../core/transfer/plan.js';

/** Goes through the file, tells by its lines whose it is, and plans what to write. Damaged lines are counted and named, never fatal. */
export async function planImport(file: ImportFile, defaults: SessionSettings, options: PlannerOptions): Promise<ImportPlan> {
  const planner = plannerFor(await recognised(file), options);
  for await (const read of file.lines()) {
    if ('reason' in read) planner.skip(read.line, read.reason);
    else if (namesBytes(read.value)) planner.skip(read.line, 'names a file by its hash; only a line that brings the bytes can be read');
    else planner.add(read.line, read.bytes, read.value);
  }
  return planner.finish(defaults);
}

async function recognised(file: ImportFile): Promise<ImportSource> {
  for await (const read of file.lines()) {
    const source = 'value' in read ? sourceOf(read.value) : null;
    if (source !== null) return source;
  }
  return 'claude-code';
}
