import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import { withStoredTexts } from '../../../packages/protocol/message/written-input.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import { Blobs, Clock, Digest, EventStore, Sessions } from '../../ports/index.js';
import type { ImportReport, SessionSettings } from '../../../packages/protocol/events/events.js';
import { ClientFindings } from '../../session/transfer/client-findings.js';
import type { ImportFile } from '../../session/transfer/import-file.js';
import { type ImportPlan, modeAfterMoves, stepsOf } from '../../session/transfer/plan.js';
import { Admission } from '../../engine/commands/admission.js';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { eventOf } from '../../engine/commands/execute.js';
import type { OfSession } from '../../engine/media/fit-image.js';
import { MessageMedia } from '../../engine/media/message-media.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Pace } from '../../engine/queries/pace.js';
import { ImportBatches, keyReused } from './import-batches.js';
import { ImportedFiles } from './imported-files.js';
import { planImport } from './plan-import.js';

export interface ImportAnswer {
  readonly id: string;
  readonly report: ImportReport;
}

export interface ImportRequest {
  readonly file: ImportFile;
  /** Settings that the file does not contain. */
  readonly defaults: SessionSettings;
  /** Fragments of one answer are merged up to this size. */
  readonly maxMessageBytes: number;
  /** Whether the prompt of a turn that the model refused stays in requests. */
  readonly keepsRefusedPrompts: boolean;
}

/** Creates a session from a file. */
export class ImportSessionCommand extends defineCommand<ImportRequest, ImportAnswer>({ action: 'session.create' }) {}

/** Target size of an `import.retained` event. */
const RETAINED_BYTES = 64 * 1024;

/**
 * Plans in a first pass over the file and writes in a second. The session is visible only once the last batch is in, so there is no state to decide
 * against: the batches follow each other by version alone, and memory holds one batch.
 */
@CommandHandler(ImportSessionCommand)
export class ImportSessionHandler implements ICommandHandler<ImportSessionCommand> {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly digest: Digest,
    private readonly admission: Admission,
    private readonly media: MessageMedia,
    private readonly sessions: Sessions,
    private readonly blobs: Blobs,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'FILE_FOLDER_DEPTH' | 'WORKSPACE_FILE_BYTES' | 'WORKSPACE_FILES' | 'WORKSPACE_IGNORE'>,
  ) {}

  async execute({ context, file, defaults, maxMessageBytes, keepsRefusedPrompts }: ImportSessionCommand): Promise<CommandResult & ImportAnswer> {
    const earlier = await this.#replay(context);
    if (earlier) return earlier;
    if (context.expectedVersion !== null && context.expectedVersion !== 0) {
      throw new DomainError(
        'version_conflict',
        `An import creates a session, so version ${context.expectedVersion} cannot be required of it; leave the expected version out.`,
        [],
        { version: 0 },
      );
    }
    await this.#requireUnerased(context);
    await this.admission.session(context.principal);
    const uuid = (name: string): string => uuidFromSha256(this.digest.sha256(`${context.sessionId} ${name}`));
    const plan = await planImport(file, defaults, { maxMessageBytes, keepsRefusedPrompts, maxFiles: this.settings.WORKSPACE_FILES, uuid });
    if (plan.report.messages === 0 && !plan.allowsEmpty) throw nothingToImport(plan);
    const batches = new ImportBatches(context, plan.settings, activeBranch(plan), { store: this.store, clock: this.clock, digest: this.digest });
    const findings = await this.#clientLines(plan, file);
    const of = { tenantId: context.principal.tenantId, sessionId: context.sessionId };
    const files = plan.files && new ImportedFiles(of, plan.files, file, this.settings, this.blobs, this.digest);
    await files?.requireRoom((bytes) => this.admission.storage(context.principal, bytes));
    await this.#write(of, plan, file, batches, { findings, files });
    const clientRequests = findings?.report() ?? null;
    const withFiles = files === null ? plan.report : files.report(plan.report);
    const report = clientRequests === null ? withFiles : { ...withFiles, clientRequests };
    const events = await batches.end({ type: 'session.imported', data: report });
    if (events === null) return (await this.#replay(context))!;
    return { id: context.sessionId, version: events.at(-1)!.seq, replayed: false, report };
  }

  /** An erasure takes the receipt of an import, but not the id that its key makes. */
  async #requireUnerased({ principal, sessionId }: CommandContext): Promise<void> {
    const { erased } = await this.sessions.load(principal.tenantId, sessionId);
    if (erased)
      throw new DomainError('session_erased', 'The session that was imported under this idempotency key was erased; use a new key to import the file again.');
  }

  /** What the file says about requests; null: nothing. */
  async #clientLines({ retained }: ImportPlan, file: ImportFile): Promise<ClientFindings | null> {
    const lines = retained.filter(({ isClientLine }) => isClientLine === true);
    if (lines.length === 0) return null;
    const findings = new ClientFindings((text) => this.digest.sha256(text));
    const pace = new Pace();
    for (const { line, bytes } of lines) {
      findings.line(line, await file.read(line));
      await pace.after(bytes);
    }
    return findings;
  }

  async #write(
    of: OfSession,
    plan: ImportPlan,
    file: ImportFile,
    batches: ImportBatches,
    { findings, files }: { readonly findings: ClientFindings | null; readonly files: ImportedFiles | null },
  ): Promise<void> {
    await batches.add({ type: 'session.created', data: { settings: plan.settings, importing: true } }, 0);
    if (files) {
      // What is stored belongs to a session that exists: if the import ends here, it goes with it.
      await batches.flush();
      await files.store();
    }
    const at = this.clock.timestamp();
    const pace = new Pace();
    for (const step of stepsOf(plan)) {
      if ('move' in step) {
        await batches.add(plan.move(step.move, await file.read(step.move.line)), step.move.bytes);
        continue;
      }
      if ('version' in step) {
        if (files) await batches.add(await files.change(step.version), step.version.bytes);
        continue;
      }
      const { message } = step;
      const values: unknown[] = [];
      for (const line of message.lines) values.push(await file.read(line));
      const composed = withStoredTexts(plan.compose(message, values, at));
      await pace.after(findings?.message(composed) ?? 0);
      const stored = await this.media.message(of, composed, plan.settings.model);
      await batches.add(
        { type: 'message.appended', data: { message: stored, turnId: null, ...(message.files ? { files: message.files } : {}) } },
        message.bytes,
      );
    }
    const mode = modeAfterMoves(plan);
    if (mode !== null) await batches.add(mode, 0);
    for (const { line, event } of plan.schedules) await batches.add(event(await file.read(line)), 0);
    let lines: { readonly line: number; readonly value: Json }[] = [];
    let pending = 0;
    for (const [index, { line, bytes }] of plan.retained.entries()) {
      lines.push({ line, value: await this.media.line(of, (await file.read(line)) as Json) });
      pending += bytes;
      if (pending < RETAINED_BYTES && index < plan.retained.length - 1) continue;
      await batches.add({ type: 'import.retained', data: { lines } }, pending);
      lines = [];
      pending = 0;
    }
  }

  /** The result of a completed import under the same key; null when there is none. */
  async #replay({ principal, sessionId, commandId, requestHash }: CommandContext): Promise<(CommandResult & ImportAnswer) | null> {
    const receipt = await this.store.receipt(principal.tenantId, commandId, requestHash);
    if (!receipt) return null;
    if (!receipt.sameRequest || receipt.sessionId !== sessionId) throw keyReused();
    const events = await this.store.load(principal.tenantId, sessionId, receipt.lastSeq - 1, receipt.lastSeq);
    return { id: sessionId, version: receipt.lastSeq, replayed: true, report: eventOf(events, 'session.imported') };
  }
}

/** The uuids from the head up to the root. */
function activeBranch(plan: ImportPlan): ReadonlySet<string> {
  const parents = new Map<string, string | null>();
  for (const { uuid, parentUuid } of plan.messages()) parents.set(uuid, parentUuid);
  const branch = new Set<string>();
  for (let uuid = plan.head; uuid !== null && !branch.has(uuid); uuid = parents.get(uuid) ?? null) branch.add(uuid);
  return branch;
}

/** The faults name the first lines by number. */
function nothingToImport({ report }: ImportPlan): DomainError {
  const faults = report.skipped.slice(0, 50).map(({ line, reason }) => ({ pointer: `line ${line}`, text: reason }));
  return new DomainError('nothing_to_import', 'The file contains no readable message, so no session was created.', faults, {
    lines: report.lines,
  });
}
