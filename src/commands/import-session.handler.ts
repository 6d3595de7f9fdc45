import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../core/errors.js';
import { uuidFromSha256 } from '../core/message/ids.js';
import { Clock, Digest, EventStore } from '../core/ports.js';
import type { Json } from '../core/message/content.js';
import type { ImportPlan } from '../core/transfer/plan.js';
import type { ImportFile } from '../core/transfer/import-file.js';
import type { Carried, CommandContext } from './context.js';
import { eventOf } from './event-of.js';
import { ImportBatches, keyReused } from './import-batches.js';
import { type ImportAnswer, ImportSessionCommand } from './import-session.command.js';
import { planImport } from './plan-import.js';

/** Lines kept unsent share events of about this size. */
const KEPT_BYTES = 64 * 1024;

/**
 * Plans on a first pass over the file, writes on a second. Nobody else can know the session before the last batch is in, so there is nothing to decide
 * against and no state to fold: the batches follow each other by version alone, and what is in memory is one batch.
 */
@CommandHandler(ImportSessionCommand)
export class ImportSessionHandler implements ICommandHandler<ImportSessionCommand> {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly digest: Digest,
  ) {}

  async execute({ context, file, defaults, maxMessageBytes }: ImportSessionCommand): Promise<Carried & ImportAnswer> {
    const before = await this.#earlier(context);
    if (before) return before;
    if (context.expectedVersion !== null && context.expectedVersion !== 0) {
      throw new DomainError('version_conflict', `An import makes a session, so there is no version ${context.expectedVersion} of it.`, [], { version: 0 });
    }
    const uuid = (name: string): string => uuidFromSha256(this.digest.sha256(`${context.sessionId} ${name}`));
    const plan = await planImport(file, defaults, { maxMessageBytes, uuid });
    if (plan.report.messages === 0 && !plan.isWhole) throw nothing(plan);
    const batches = new ImportBatches(context, plan.settings, { store: this.store, clock: this.clock, digest: this.digest });
    await this.#write(plan, file, batches);
    const events = await batches.end({ type: 'session.imported', data: plan.report });
    if (events === null) return (await this.#earlier(context))!;
    return { id: context.sessionId, version: events.at(-1)!.seq, replayed: false, report: plan.report };
  }

  async #write(plan: ImportPlan, file: ImportFile, batches: ImportBatches): Promise<void> {
    await batches.add({ type: 'session.created', data: { settings: plan.settings, importing: true } }, 0);
    const at = this.clock.timestamp();
    for (const planned of plan.messages()) {
      const values: unknown[] = [];
      for (const line of planned.lines) values.push(await file.read(line));
      await batches.add({ type: 'message.appended', data: { message: plan.compose(planned, values, at), turnId: null } }, planned.bytes);
    }
    let lines: { readonly line: number; readonly value: Json }[] = [];
    let waiting = 0;
    for (const [index, { line, bytes }] of plan.kept.entries()) {
      lines.push({ line, value: (await file.read(line)) as Json });
      waiting += bytes;
      if (waiting < KEPT_BYTES && index < plan.kept.length - 1) continue;
      await batches.add({ type: 'import.retained', data: { lines } }, waiting);
      lines = [];
      waiting = 0;
    }
  }

  /** The answer of an import under the same key that came to its end. */
  async #earlier({ principal, sessionId, commandId, requestHash }: CommandContext): Promise<(Carried & ImportAnswer) | null> {
    const receipt = await this.store.receipt(principal.tenantId, commandId);
    if (!receipt) return null;
    if (receipt.requestHash !== requestHash || receipt.sessionId !== sessionId) throw keyReused();
    const events = await this.store.load(principal.tenantId, sessionId, receipt.lastSeq - 1, receipt.lastSeq);
    return { id: sessionId, version: receipt.lastSeq, replayed: true, report: eventOf(events, 'session.imported') };
  }
}

/** Says by number what was wrong with the first lines. */
function nothing({ report }: ImportPlan): DomainError {
  const faults = report.skipped.slice(0, 50).map(({ line, reason }) => ({ pointer: `line ${line}`, text: reason }));
  return new DomainError('nothing_to_import', 'The file holds no message of a conversation that can be read, so no session was made.', faults, {
    lines: report.lines,
  });
}
