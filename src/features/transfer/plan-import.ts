import type { ImportSource, SessionSettings } from '../../../packages/protocol/events/events.js';
import { hasBlobReference } from '../../session/transfer/blob-references.js';
import { plannerFor, sourceOf } from '../../session/transfer/format.js';
import type { ImportFile } from '../../session/transfer/import-file.js';
import type { ImportPlan, ImportOptions } from '../../session/transfer/plan.js';

/** Reads the file once, detects its format, and plans the events to write. Damaged lines are reported, never fatal. */
export async function planImport(file: ImportFile, defaults: SessionSettings, options: ImportOptions): Promise<ImportPlan> {
  const planner = plannerFor(await detectFormat(file), options);
  for await (const read of file.lines()) {
    if ('reason' in read) planner.skip(read.line, read.reason);
    else if (hasBlobReference(read.value)) planner.skip(read.line, 'names a file by its hash; only a line that brings the bytes can be read');
    else {
      if (read.shortened !== undefined) planner.shorten(read.line, read.shortened);
      planner.add(read.line, read.bytes, read.value);
    }
  }
  return planner.finish(defaults);
}

async function detectFormat(file: ImportFile): Promise<ImportSource> {
  for await (const read of file.lines()) {
    const source = 'value' in read ? sourceOf(read.value) : null;
    if (source !== null) return source;
  }
  return 'claude-code';
}
