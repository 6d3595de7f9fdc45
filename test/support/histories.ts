import fc from 'fast-check';
import { decideRestore, decideRestoreBranch, decideRewind } from '../../src/session/decide/rewind.js';
import { inherited } from '../../src/session/decide/fork.js';
import type { StoredMessage } from '../../packages/protocol/message/message.js';
import { leftBranches } from '../../src/session/state/branches.js';
import type { NewEvent, SessionEvent, WorkspaceFile } from '../../packages/protocol/events/events.js';
import { evolve } from '../../src/session/state/evolve.js';
import { emptyState, type SessionState } from '../../src/session/state/state.js';
import { path } from '../../src/session/state/tree.js';
import { differences, erasedChanges, filesOf } from '../../src/session/state/workspace.js';
import { versionLines } from '../../src/session/transfer/file-lines.js';
import { historyOf, type HistoryStep } from '../../src/session/transfer/history.js';
import { sessionLine } from '../../src/session/transfer/session-line.js';
import { SETTINGS } from './planned-import.js';

/** What an export of the session contains. */
export const exported = (state: SessionState): string =>
  [sessionLine(state.settings), ...historyOf(state).flatMap(linesOf)].map((line) => JSON.stringify(line)).join('\n');

/** Without the contents of files. */
function linesOf(step: HistoryStep): readonly object[] {
  if ('version' in step) return [...versionLines(step.version)];
  return ['move' in step ? step.move : 'filesAt' in step ? step.filesAt : step.message];
}

const step = fc.record({
  does: fc.constantFrom('turn', 'turn', 'rewind', 'edit', 'restore', 'branch', 'compact', 'refuse', 'mode', 'fork', 'write', 'write', 'erase'),
  pick: fc.nat(99),
});

/** Sessions with branches that were left and found again in every way, compactions, turns that were taken back, changes of files and erasures of some, and forks of such sessions. */
export const history: fc.Arbitrary<SessionState> = fc.array(step, { maxLength: 25 }).map((steps) => {
  const session = new History();
  for (const { does, pick } of steps) session[does](pick);
  return session.state;
});

const PATHS = ['a', 'b', 'c/d', 'c/e', '__proto__'];

/** Sessions without erasures, with what their folder held at each point. */
export const historyOfFiles: fc.Arbitrary<{ readonly state: SessionState; readonly truth: Truth }> = fc.array(step, { maxLength: 40 }).map((steps) => {
  const session = new History();
  for (const { does, pick } of steps) if (does !== 'erase') session[does](pick);
  return session;
});

/** What a folder held, written down while it happened. */
interface Truth {
  folder: Files;
  readonly after: Map<string, Files>;
  readonly before: Map<string, Files>;
  /** By the rewind that left them. */
  readonly left: Map<string, Files>;
  /** By the tips of branches that were left with their files. */
  readonly tips: Map<string, Files>;
}
type Files = ReadonlyMap<string, WorkspaceFile>;
const NO_FILES: Files = new Map();

class History {
  state = emptyState();
  readonly truth: Truth = { folder: NO_FILES, after: new Map(), before: new Map(), left: new Map(), tips: new Map() };
  #count = 0;
  /** What the turn found, until its first message. */
  #found: Files | null = null;
  /** Messages of a turn that has not changed files yet. */
  #untouched: string[] | null = null;

  constructor() {
    this.#add({ type: 'session.created', data: { settings: SETTINGS } });
  }

  turn(pick: number): void {
    if (pick % 3 === 0) return this.#inTurn(pick);
    this.#prompt(this.#uuid(), pick);
    this.#answer();
  }

  /** A change of files after a call; some are found in a folder of another version. */
  write(pick: number): void {
    const { head, versions } = this.state.workspace;
    const stray = [null, ...versions.keys()][pick % (versions.size + 1)] ?? null;
    this.#change(pick, pick % 7 === 0 ? stray : head, {});
  }

  /** Of one of its own changes, as the erasure of a message does it. */
  erase(pick: number): void {
    const own = [...this.state.workspace.versions.values()].filter(({ seq, removed }) => seq > 0 && !removed);
    if (pick % 3 !== 0 || own.length === 0) return;
    const files = erasedChanges(this.state.workspace, [own[pick % own.length]!.version]);
    const data = { erasureId: this.#uuid(), scope: 'message', messages: [], reason: null, events: [], bytes: 0, blobs: 0, files, isComplete: true } as const;
    this.#add({ type: 'content.erased', data });
  }

  rewind(pick: number): void {
    const messages = path(this.state);
    if (messages.length === 0) return;
    const { uuid } = messages[pick % messages.length]!.message;
    const target = pick % 2 === 0 ? { before: uuid } : { after: uuid };
    const reason = pick % 3 === 0 ? `because of ${pick}` : null;
    this.#add(...decideRewind({ type: 'Rewind', rewindId: this.#uuid(), target, reason, files: pick % 5 < 3, messages: pick % 5 > 0 }, this.state));
  }

  edit(pick: number): void {
    const prompts = path(this.state).filter(({ message }) => message.type === 'user');
    if (prompts.length === 0) return;
    const before = prompts[pick % prompts.length]!.message.uuid;
    const replacedBy = this.#uuid();
    const cause = pick % 2 === 0 ? 'edit' : 'regenerate';
    const [rewound] = decideRewind({ type: 'Rewind', rewindId: this.#uuid(), target: { before }, reason: null, files: pick % 5 < 2 }, this.state);
    if (rewound?.type === 'session.rewound') this.#add({ ...rewound, data: { ...rewound.data, cause, replacedBy } });
    this.#prompt(replacedBy, pick);
    this.#answer();
  }

  restore(pick: number): void {
    const rewinds = [...this.state.rewinds.keys()];
    const rewindId = rewinds[pick % rewinds.length];
    if (rewindId === undefined) return;
    const folder = this.truth.left.get(rewindId) ?? this.truth.folder;
    this.#add(...decideRestore({ type: 'Restore', rewindId }, this.state));
    this.truth.folder = folder;
  }

  branch(pick: number): void {
    const tips = [...leftBranches(this.state).keys()];
    const tip = tips[pick % tips.length];
    if (tip === undefined) return;
    const folder = this.truth.tips.get(tip) ?? this.truth.folder;
    this.#add(...decideRestoreBranch({ type: 'RestoreBranch', tip }, this.state));
    this.truth.folder = folder;
  }

  compact(pick: number): void {
    const messages = path(this.state);
    if (messages.length === 0) return;
    const summary = this.#uuid();
    const keptFrom = messages[pick % messages.length]!.message.uuid;
    const compactMetadata = { trigger: 'manual', preTokens: null, compactionId: this.#uuid(), keptFrom, keptAfter: summary, omitted: 0 } as const;
    this.#append({ type: 'system', subtype: 'compact_boundary', content: '', compactMetadata });
    this.#append({ type: 'user', uuid: summary, content: 'summary', isCompactSummary: true });
  }

  refuse(pick: number): void {
    this.turn(pick);
    const withdraws = path(this.state)
      .slice(-2)
      .map(({ message }) => message.uuid);
    this.#append({ type: 'system', subtype: 'refusal', content: 'declined', withdraws });
  }

  mode(pick: number): void {
    this.#add({ type: 'session.configured', data: { changes: { permissionMode: pick % 2 === 0 ? 'plan' : 'acceptEdits' } } });
  }

  fork(pick: number): void {
    if (pick % 4 !== 0) return;
    const parent = this.state;
    const at = parent.head;
    this.state = inherited(parent, { at });
    this.truth.folder = this.truth.after.get(at ?? '') ?? NO_FILES;
    this.#add({ type: 'session.created', data: { settings: parent.settings, forkedFrom: { sessionId: 'parent', at, seq: parent.version, headHash: '' } } });
  }

  /** A turn whose hooks and calls change files, also before its first message and after its last one. */
  #inTurn(pick: number): void {
    const [turnId, promptId] = [this.#uuid(), this.#uuid()];
    this.#add({ type: 'turn.started', data: { turnId, promptId } });
    this.#found = this.truth.folder;
    this.#untouched = [];
    const at = { turnId, ...(pick % 4 === 0 ? { toolUseId: `call-${turnId}` } : {}) };
    if (pick % 2 === 0) this.#change(pick, this.state.workspace.head, at);
    this.#append({ type: 'user', content: `prompt ${turnId}` }, turnId);
    if (pick % 5 < 3) this.#change(pick + 1, this.state.workspace.head, at);
    this.#answer(turnId);
    if (pick % 5 > 2) this.#change(pick + 2, this.state.workspace.head, at);
    this.#add({ type: 'turn.completed', data: { turnId, stopReason: 'end_turn' } });
    [this.#found, this.#untouched] = [null, null];
  }

  #change(pick: number, base: string | null, of: { readonly turnId?: string; readonly toolUseId?: string }): void {
    const { workspace } = this.state;
    const before = filesOf(workspace, base);
    const after = new Map(before);
    const [gone, path] = [PATHS[pick % PATHS.length]!, PATHS[(pick * 7) % PATHS.length]!];
    after.delete(gone);
    after.set(path, { path, mode: pick % 2 === 0 ? 0o644 : 0o755, sha256: String(pick % 10).repeat(64), size: pick % 10 });
    const cause = pick % 13 === 0 ? 'outside' : 'step';
    if (base === workspace.head) this.#changed(after, cause === 'outside');
    const changed = differences(before, after);
    const files = changed.flatMap(({ after: file }) => (file ? [{ type: 'blob' as const, ...file }] : []));
    const deleted = changed.flatMap(({ path: name, after: file }) => (file ? [] : [name]));
    const skipped = pick % 11 === 0 ? [{ path: 'pipe', reason: 'special' as const }] : [];
    this.#add({ type: 'workspace.changed', data: { version: this.#uuid(), base, cause, files, deleted, skipped, ...of } });
  }

  #prompt(uuid: string, pick: number): void {
    this.#append({ type: 'user', uuid, content: `prompt ${uuid}`, ...(pick % 3 === 0 ? { permissionMode: 'plan' } : {}) });
  }

  #answer(turnId: string | null = null): void {
    const uuid = this.#uuid();
    const message = { id: uuid, role: 'assistant', model: 'claude-test', content: [{ type: 'text', text: `answer ${uuid}` }], stop_reason: 'end_turn' };
    this.#append({ type: 'assistant', uuid, message }, turnId);
  }

  #append(fields: object, turnId: string | null = null): void {
    const message = { uuid: this.#uuid(), parentUuid: this.state.head, timestamp: this.#time(), ...fields } as StoredMessage;
    this.#add({ type: 'message.appended', data: { message, turnId } });
  }

  #add(...events: readonly NewEvent[]): void {
    for (const event of events) {
      const seq = this.state.version + 1;
      this.#note(event);
      evolve(this.state, { ...event, id: String(seq), seq, time: this.#time(), sessionId: 's', actor: { kind: 'user', id: 'u' } } as SessionEvent);
    }
  }

  /** What something else has changed before the turn changes files was there before it. */
  #changed(after: Files, isOutside: boolean): void {
    const { truth } = this;
    truth.folder = after;
    if (!isOutside) this.#untouched = null;
    if (this.#found && this.#untouched) this.#found = after;
    for (const uuid of this.#untouched ?? []) for (const files of [truth.after, truth.before]) files.set(uuid, after);
  }

  #note(event: NewEvent): void {
    const { truth } = this;
    if (event.type === 'message.appended') {
      const { uuid, parentUuid } = event.data.message;
      truth.after.set(uuid, truth.folder);
      truth.before.set(uuid, this.#found ?? truth.after.get(parentUuid ?? '') ?? NO_FILES);
      this.#found = null;
      this.#untouched?.push(uuid);
    }
    if (event.type === 'session.rewound' || event.type === 'session.restored') {
      const { from, to, files } = event.data;
      if (from !== null && from !== to) {
        if (files) truth.tips.set(from, truth.folder);
        else truth.tips.delete(from);
      }
    }
    if (event.type === 'session.rewound' && event.data.files) {
      const { rewindId, before, after } = event.data;
      truth.left.set(rewindId, truth.folder);
      truth.folder = (before === undefined ? truth.after.get(after!) : truth.before.get(before))!;
    }
  }

  #uuid(): string {
    this.#count += 1;
    return `00000000-0000-4000-8000-${String(this.#count).padStart(12, '0')}`;
  }

  /** Several events of one append have the same time. */
  #time(): string {
    return new Date(Date.UTC(2030, 0, 1) + Math.floor(this.#count / 5)).toISOString();
  }
}
