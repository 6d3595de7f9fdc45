import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exported } from '../../../test/support/histories.js';
import { planned, SETTINGS } from '../../../test/support/planned-import.js';
import { runs } from '../../../test/support/property-runs.js';
import type { NewEvent, SessionEvent } from '../../../packages/protocol/events/events.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { leftBranches } from '../state/branches.js';
import { evolve } from '../state/evolve.js';
import { emptyState, type SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { decideRestore, decideRestoreBranch, decideRewind } from './rewind.js';

const TAKES = [
  { messages: true, files: false },
  { messages: true, files: true },
  { messages: false, files: true },
];

type Takes = (typeof TAKES)[number];
type Step =
  | { readonly does: 'turn' | 'outside' | 'restore' | 'branch' | 'mode'; readonly pick: number }
  | { readonly does: 'rewind'; readonly pick: number; readonly takes: Takes };

const rewind = fc.record({ does: fc.constant('rewind' as const), takes: fc.constantFrom(...TAKES), pick: fc.nat(99) });
const other = fc.record({
  does: fc.constantFrom<'turn' | 'outside' | 'restore' | 'branch' | 'mode'>('turn', 'turn', 'outside', 'restore', 'branch', 'mode'),
  pick: fc.nat(99),
});
const steps: fc.Arbitrary<readonly Step[]> = fc.array(fc.oneof(other, rewind), { maxLength: 20 });

/** A session whose turns may change files, each after something else may have changed them. */
class Session {
  state = emptyState();
  #count = 0;

  constructor(made: readonly Step[] = []) {
    this.add({ type: 'session.created', data: { settings: SETTINGS } });
    for (const step of made) {
      if (step.does === 'turn') this.turn(step.pick);
      else if (step.does === 'outside') this.turn(step.pick, true);
      else if (step.does === 'mode')
        this.add({ type: 'session.configured', data: { changes: { permissionMode: step.pick % 2 === 0 ? 'plan' : 'acceptEdits' } } });
      else if (step.does === 'rewind') this.rewind(step.pick, step.takes);
      else if (step.does === 'restore') this.restore(picked([...this.state.rewinds.keys()], step.pick));
      else this.branch(picked([...leftBranches(this.state).keys()], step.pick));
    }
  }

  get seen(): { readonly head: string | null; readonly mode: string; readonly files: string | null } {
    return { head: this.state.head, mode: this.state.settings.permissionMode, files: this.state.workspace.head };
  }

  /** A prompt and its answer. Returns the prompt. */
  turn(pick: number, hasOutside = false): string {
    const [turnId, promptId, prompt] = [this.uuid(), this.uuid(), this.uuid()];
    this.add({ type: 'turn.started', data: { turnId, promptId } });
    this.#append({ type: 'user', uuid: prompt, content: 'prompt', ...(pick % 3 === 0 ? { permissionMode: 'plan' } : {}) }, turnId);
    if (hasOutside) this.change(turnId, 'outside');
    for (let step = 0; step < pick % 3; step += 1) this.change(turnId, 'step');
    const message = { id: this.uuid(), role: 'assistant', model: 'claude-test', content: [{ type: 'text', text: 'answer' }], stop_reason: 'end_turn' };
    this.#append({ type: 'assistant', message }, turnId);
    this.add({ type: 'turn.completed', data: { turnId, stopReason: 'end_turn' } } as NewEvent);
    return prompt;
  }

  change(turnId: string, cause: 'step' | 'outside'): string {
    const version = this.uuid();
    this.add({ type: 'workspace.changed', data: { turnId, version, base: this.state.workspace.head, cause, files: [], deleted: [version], skipped: [] } });
    return version;
  }

  /** The id of the rewind; null: there is no message. */
  rewind(pick: number, takes: Takes): string | null {
    const record = picked(path(this.state), pick);
    if (!record) return null;
    const { uuid } = record.message;
    const target = pick % 2 === 0 ? { before: uuid } : { after: uuid };
    const rewindId = this.uuid();
    this.add(...decideRewind({ type: 'Rewind', rewindId, target, reason: null, ...takes }, this.state));
    return rewindId;
  }

  restore(rewindId: string | undefined): void {
    if (rewindId !== undefined) this.add(...decideRestore({ type: 'Restore', rewindId }, this.state));
  }

  branch(tip: string | undefined): void {
    if (tip !== undefined) this.add(...decideRestoreBranch({ type: 'RestoreBranch', tip }, this.state));
  }

  uuid(): string {
    this.#count += 1;
    return `00000000-0000-4000-8000-${String(this.#count).padStart(12, '0')}`;
  }

  add(...events: readonly NewEvent[]): void {
    for (const event of events) {
      const seq = this.state.version + 1;
      const time = new Date(Date.UTC(2030, 0, 1) + seq).toISOString();
      evolve(this.state, { ...event, id: String(seq), seq, time, sessionId: 's', actor: { kind: 'user', id: 'u' } } as SessionEvent);
    }
  }

  #append(fields: object, turnId: string): void {
    const message = { uuid: this.uuid(), parentUuid: this.state.head, timestamp: '2030-01-01T00:00:00.000Z', ...fields } as StoredMessage;
    this.add({ type: 'message.appended', data: { message, turnId } });
  }
}

const picked = <T>(of: readonly T[], pick: number): T | undefined => of[pick % Math.max(of.length, 1)];

/** What readers see of the branches of the conversation. */
const branchesIn = (state: SessionState): unknown => [state.head, state.settings.permissionMode, ...leftBranches(state).keys()];

describe('a rewind', () => {
  it('moves what it is asked to move, and nothing else', () => {
    fc.assert(
      fc.property(steps, fc.nat(99), fc.constantFrom(...TAKES), (made, pick, takes) => {
        const session = new Session(made);
        const [before, branches] = [session.seen, branchesIn(session.state)];
        session.rewind(pick, takes);
        if (!takes.files) expect(session.seen.files).toBe(before.files);
        if (!takes.messages) expect(branchesIn(session.state)).toEqual(branches);
      }),
      runs(300),
    );
  });

  it('is undone by its restore: the files that it took, and the conversation only if that was taken, also after later turns', () => {
    fc.assert(
      fc.property(steps, fc.nat(99), fc.constantFrom(...TAKES), fc.nat(2), (made, pick, takes, turns) => {
        const session = new Session(made);
        const before = session.seen;
        const rewindId = session.rewind(pick, takes);
        if (rewindId === null) return;
        const left = session.seen.head !== before.head;
        for (let turn = 0; turn < turns; turn += 1) session.turn(pick);
        const later = session.seen;
        session.restore(rewindId);
        if (takes.messages && (left || !takes.files)) expect(session.seen.head).toBe(before.head);
        else expect({ ...session.seen, files: null }).toEqual({ ...later, files: null });
        expect(session.seen.files).toBe(takes.files ? before.files : later.files);
      }),
      runs(300),
    );
  });

  it('and a restore of the branch that it left take the same files', () => {
    fc.assert(
      fc.property(steps, fc.nat(99), fc.constantFrom(...TAKES.slice(0, 2)), fc.boolean(), (made, pick, takes, isThereAndBack) => {
        const session = new Session(made);
        const before = session.seen;
        session.rewind(pick, takes);
        if (session.seen.head === before.head || before.head === null) return;
        // Where the conversation stood in the middle of a branch, no branch ends there.
        if ([...session.state.messages.values()].some(({ message }) => message.parentUuid === before.head)) return;
        session.turn(pick); // the other branch
        const there = session.seen;
        session.branch(before.head);
        expect(session.seen.head).toBe(before.head);
        expect(session.seen.files).toBe(takes.files ? before.files : there.files);
        if (!isThereAndBack) return;
        session.branch(there.head!);
        expect([session.seen.head, session.seen.files]).toEqual([there.head, there.files]);
      }),
      runs(300),
    );
  });

  it('is in an import of an export what it was: of the files alone it leaves no branch', () => {
    fc.assert(
      fc.property(steps, (made) => {
        const { state } = new Session(made);
        const { plan, state: copy } = planned(exported(state));
        expect(plan.report).toMatchObject({ skippedTotal: 0, messages: state.messages.size });
        expect(branchesIn(copy)).toEqual(branchesIn(state));
        expect(copy.workspace.head).toBe(state.workspace.head);
      }),
      runs(200),
    );
  });
});

describe('what something else has changed in the folder', () => {
  it('before the first change by a turn was there before the turn, and after its prompt', () => {
    fc.assert(
      fc.property(steps, fc.nat(2), (made, changes) => {
        const session = new Session(made);
        const [turnId, promptId, prompt] = [session.uuid(), session.uuid(), session.uuid()];
        session.add({ type: 'turn.started', data: { turnId, promptId } });
        const message = { type: 'user', uuid: prompt, parentUuid: session.state.head, timestamp: '2030-01-01T00:00:00.000Z', content: '' } as StoredMessage;
        session.add({ type: 'message.appended', data: { message, turnId } });
        const outside = session.change(turnId, 'outside');
        for (let change = 0; change < changes; change += 1) session.change(turnId, 'step');
        const later = session.change(turnId, 'outside');
        const { turns, messages } = session.state;
        const found = changes === 0 ? later : outside;
        expect([turns.get(turnId)?.filesBefore, messages.get(prompt)?.files]).toEqual([found, found]);
        const [event] = decideRewind({ type: 'Rewind', rewindId: session.uuid(), target: { before: prompt }, reason: null, files: true }, session.state);
        expect(event?.data).toMatchObject({ files: { from: later, to: found } });
      }),
      runs(200),
    );
  });

  it('and is in a folder of another version changes no point of the turn', () => {
    const session = new Session();
    session.turn(1);
    const [turnId, promptId] = [session.uuid(), session.uuid()];
    const before = session.state.workspace.head;
    session.add({ type: 'turn.started', data: { turnId, promptId } });
    const stray = { turnId, version: session.uuid(), base: null, cause: 'outside', files: [], deleted: [], skipped: [] } as const;
    session.add({ type: 'workspace.changed', data: stray });
    expect([session.state.turns.get(turnId)?.filesBefore, session.state.workspace.head]).toEqual([before, before]);
  });
});
