import type { Normalize } from '@verbatim/client';
import { planImport } from '../../../../src/features/transfer/plan-import.ts';
import { ImportFile, type FileLine } from '../../../../src/session/transfer/import-file.ts';
import type { PlannedMessage } from '../../../../src/session/transfer/plan.ts';
import { NO_SETTINGS } from '../../../../packages/protocol/events/settings.ts';
import { positionalUuid } from '../../../../packages/normalizer/positional-uuid.ts';
import type { Note } from './pasted.ts';

/** The messages of the current branch of a session file, read as an import reads it, and what of the file is left out. */
export async function messagesOfFile(text: string): Promise<{ readonly messages: Normalize['messages']; readonly notes: readonly Note[] }> {
  const file = new PastedFile(text);
  const plan = await planImport(file, NO_SETTINGS, { keepsRefusedPrompts: false, maxMessageBytes: text.length, maxFiles: Infinity, uuid: uuids() });
  const planned = new Map<string, PlannedMessage>(Array.from(plan.messages(), (one) => [one.uuid, one]));
  const path: PlannedMessage[] = [];
  for (let at = plan.head; at !== null;) {
    const one = planned.get(at);
    if (!one) break;
    path.push(one);
    at = one.parentUuid;
  }
  const now = new Date().toISOString();
  const messages = path.toReversed().map((one) =>
    plan.compose(
      one,
      one.lines.map((line) => file.valueOf(line)),
      now,
    ),
  );
  const { skipped, skippedTotal, offBranchTotal, retained } = plan.report;
  const kept = Object.values(retained).reduce((sum, count) => sum + count, 0);
  return {
    messages: messages as unknown as Normalize['messages'],
    notes: [
      ...skipped.map(({ line, reason }) => ({ pointer: `line ${line}`, detail: `is left out: ${reason}` })),
      ...(skippedTotal > skipped.length ? [{ pointer: `${skippedTotal - skipped.length} more lines`, detail: 'are left out' }] : []),
      ...(offBranchTotal > 0 ? [{ pointer: `${offBranchTotal} messages`, detail: 'are on other branches than the current one' }] : []),
      ...(kept > 0 ? [{ pointer: `${kept} lines`, detail: 'are no messages, and never sent' }] : []),
    ],
  };
}

/** By name. Browsers make random ones on secure pages only. */
function uuids(): (name: string) => string {
  const made = new Map<string, string>();
  return (name) => {
    const uuid = made.get(name) ?? positionalUuid(made.size);
    made.set(name, uuid);
    return uuid;
  };
}

class PastedFile extends ImportFile {
  readonly #lines: readonly string[];

  constructor(text: string) {
    super();
    this.#lines = text.split('\n');
  }

  async *lines(): AsyncIterable<FileLine> {
    for (const [index, text] of this.#lines.entries()) {
      if (text.trim() === '') continue;
      const line = index + 1;
      try {
        yield { line, bytes: text.length, value: JSON.parse(text) as unknown };
      } catch {
        yield { line, reason: 'not JSON' };
      }
    }
  }

  valueOf(line: number): unknown {
    return JSON.parse(this.#lines[line - 1]!);
  }

  read(line: number): Promise<unknown> {
    return Promise.resolve(this.valueOf(line));
  }
}
