import { Inject, Injectable } from '@nestjs/common';
import { type AuthorizedCaller, authorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { EventData } from '../../../packages/protocol/events/events.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { withStoredTexts } from '../../../packages/protocol/message/written-input.js';
import { type CommandContext, OWN_REQUEST } from '../../engine/commands/context.js';
import { type Executed, Executor, requireVersion } from '../../engine/commands/execute.js';
import { MessageMedia } from '../../engine/media/message-media.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Clock, EventStore } from '../../ports/index.js';
import { takesMessages } from '../../session/decide/lines.js';
import { requireAccess } from '../../session/state/access.js';
import type { SessionState } from '../../session/state/state.js';
import { type NewLine, parsedLine, type StoredLines, uuidOf } from '../../session/stored-file/stored-lines.js';
import { writeSteps, type WriteStep } from '../../session/stored-file/write-steps.js';
import type { ImportPlan } from '../../session/transfer/plan.js';
import { uuidIn } from '../../session/transfer/shape.js';
import { otherSummary, overtaken } from './faults.js';
import { KeptFiles } from './kept-files.js';
import { batchDigest, derivedUuid, fileMetadata, type FileKey } from './store-ids.js';
import { StoredTexts } from './stored-texts.js';

/** What a program says of its file. `after`: the number of the summary that it was made from; 0: of none. */
export interface GivenSummary {
  readonly data: Json;
  readonly after: number;
}

export interface GivenLines {
  readonly key: FileKey;
  readonly lines: readonly NewLine[];
  readonly summary: GivenSummary | null;
}

export interface WrittenLines {
  readonly version: number;
  /** Lines that were not known. */
  readonly appended: number;
  /** Lines of the whole file. */
  readonly lines: number;
  /** The number of the summary; 0: there is none. */
  readonly summary: number;
}

/** Writes lines into the log, and what follows from them. */
@Injectable()
export class FileWriter {
  constructor(
    private readonly files: KeptFiles,
    private readonly executor: Executor,
    private readonly store: EventStore,
    private readonly media: MessageMedia,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SESSION_FILE_LINES'>,
  ) {}

  /**
   * Throws `version_conflict` when the session has changed meanwhile: then it is repeated with `isRecorded` if `recorded` was called. What an earlier execution has left
   * unwritten is written, too.
   */
  async write(context: CommandContext, given: GivenLines, state: SessionState, isRecorded: boolean, recorded: () => void): Promise<WrittenLines> {
    const { principal, sessionId } = context;
    const { tenantId } = principal;
    const { version, storedFile } = state;
    if (version > 0) requireAccess(state, writing(principal));
    if (!isRecorded && given.summary && given.summary.after !== (storedFile?.summarySeq ?? 0)) throw otherSummary(storedFile?.summarySeq ?? 0);
    const file = await this.files.take(tenantId, sessionId, state);
    if (state.version !== version) throw overtaken(state.version);
    if (!isRecorded) requireVersion(state, context.expectedVersion);
    const batch = given.lines.some(({ value }) => uuidOf(value) !== null) ? batchDigest(given.lines.map(({ text }) => text)) : null;
    const fresh = isRecorded ? [] : unknownLines(file, given.lines, batch);
    const most = this.settings.SESSION_FILE_LINES;
    if (file.count + fresh.length > most) throw new DomainError('payload_too_large', `A session file has at most ${most} lines.`, [], { limit: most });
    for (const line of fresh) file.add(line);
    const plan = file.plan(this.files.defaults);
    const takes = takesMessages(state);
    const found = takes ? writeSteps(state, file, plan, (name) => derivedUuid(sessionId, name)) : { steps: [], head: file.head };
    const steps: readonly WriteStep[] = found.steps.length === 0 && fresh.length > 0 ? [{ writes: [] }] : found.steps;
    const appends = new Writing(this, context, plan, file, version, storedFile?.summarySeq ?? 0);
    for (const [at, step] of steps.entries()) {
      const isFirst = at === 0 && !isRecorded && fresh.length > 0;
      const lines = isFirst ? fresh : [];
      await appends.step(
        step,
        {
          ...{ lines: lines.map(({ text }) => text), uuids: lines.map(({ value }) => uuidIn(uuidOf(value))), batch: isFirst ? batch : null },
          messages: step.writes.map(({ name, message: { uuid, lines: of } }) => ({ uuid, name, lines: of })),
          head: at === steps.length - 1 ? found.head : file.head,
          summary: isFirst ? summaryOf(given, file, fresh) : null,
        },
        isFirst ? given.key : null,
      );
      if (isFirst) recorded();
    }
    if (takes) file.completed();
    this.files.give(tenantId, sessionId, file);
    return { version: appends.version, appended: fresh.length, lines: file.count, summary: appends.summarySeq };
  }

  /** `key`: these are new lines, so it is the command of the user. */
  async execute(
    context: CommandContext,
    version: number,
    plan: ImportPlan,
    command: Parameters<Executor['execute']>[1],
    key: FileKey | null,
  ): Promise<Executed> {
    const { principal } = context;
    const own = key === null ? { commandId: this.clock.uuid(), requestHash: OWN_REQUEST } : {};
    // The first append creates the session, those after it are made in it.
    const at = { ...context, ...own, principal: version > 0 ? writing(principal) : principal, expectedVersion: version };
    if (version > 0 || key === null) return this.executor.execute(at, command);
    const settings = { ...this.files.defaults, ...conversationSettings(plan), metadata: { sessionFile: fileMetadata(principal, key) } };
    return this.executor.execute(at, { type: 'CreateSession', settings }, command);
  }

  textsOf({ principal, sessionId }: CommandContext): StoredTexts {
    return new StoredTexts(this.store, { tenantId: principal.tenantId, sessionId });
  }

  async messages(
    { principal, sessionId }: CommandContext,
    plan: ImportPlan,
    file: StoredLines,
    texts: StoredTexts,
    { writes }: WriteStep,
  ): Promise<readonly StoredMessage[]> {
    const of = { tenantId: principal.tenantId, sessionId };
    const at = this.clock.timestamp();
    const messages: StoredMessage[] = [];
    for (const { message } of writes) {
      const values: unknown[] = [];
      for (const line of message.lines) values.push(parsedLine(await texts.text(file, line)));
      messages.push(await this.media.message(of, withStoredTexts(plan.compose(message, values, at)), plan.settings.model));
    }
    return messages;
  }
}

/** The appends of one command: each has the version that the one before it has made. */
class Writing {
  readonly #texts: StoredTexts;

  constructor(
    private readonly writer: FileWriter,
    private readonly context: CommandContext,
    private readonly plan: ImportPlan,
    private readonly file: StoredLines,
    public version: number,
    /** The number of the summary; 0: there is none. */
    public summarySeq: number,
  ) {
    this.#texts = writer.textsOf(context);
  }

  async step(step: WriteStep, lines: EventData['lines.appended'], key: FileKey | null): Promise<void> {
    const { plan, file, context } = this;
    const messages = await this.writer.messages(context, plan, file, this.#texts, step);
    const moved = step.moveTo === undefined ? {} : { moveTo: step.moveTo };
    const executed = await this.writer.execute(
      context,
      this.version,
      plan,
      { type: 'AppendLines', lines, ...moved, messages, settings: conversationSettings(plan) },
      key,
    );
    const event = executed.events.findLast(({ type }) => type === 'lines.appended');
    if (executed.replayed || !event) throw overtaken(executed.version);
    this.version = executed.version;
    if (lines.summary !== null) this.summarySeq = event.seq;
    file.stored(executed.events, executed.version);
  }
}

const writing = (caller: AuthorizedCaller): AuthorizedCaller => authorizedCaller(caller, 'session.rewind', caller.now);

const conversationSettings = ({ settings: { model, permissionMode } }: ImportPlan) => ({ model, permissionMode });

/** A repeat of the whole batch, and lines that are there by their uuid, are left out. */
function unknownLines(file: StoredLines, lines: readonly NewLine[], batch: string | null): readonly NewLine[] {
  if (batch !== null && file.hasBatch(batch)) return [];
  const seen = new Set<string>();
  return lines.filter(({ value }) => {
    const uuid = uuidOf(value);
    if (uuid === null) return true;
    if (file.hasUuid(uuid) || seen.has(uuid)) return false;
    seen.add(uuid);
    return true;
  });
}

/** After an erasure, what is made of lines that are not stored again would bring their text back. */
function summaryOf({ lines, summary }: GivenLines, { isErased }: StoredLines, fresh: readonly NewLine[]): Json {
  return summary === null || (isErased && fresh.length < lines.length) ? null : summary.data;
}
