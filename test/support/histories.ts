import fc from 'fast-check';
import { decideRestore, decideRestoreBranch, decideRewind } from '../../src/session/decide/rewind.js';
import { inherited } from '../../src/session/decide/fork.js';
import type { StoredMessage } from '../../packages/protocol/message/message.js';
import { leftBranches } from '../../src/session/state/branches.js';
import type { NewEvent, SessionEvent } from '../../packages/protocol/events/events.js';
import { evolve } from '../../src/session/state/evolve.js';
import { emptyState, type SessionState } from '../../src/session/state/state.js';
import { path } from '../../src/session/state/tree.js';
import { historyOf } from '../../src/session/transfer/history.js';
import { sessionLine } from '../../src/session/transfer/session-line.js';
import { SETTINGS } from './planned-import.js';

/** What an export of the session contains. */
export const exported = (state: SessionState): string =>
  [sessionLine(state.settings), ...historyOf(state).map((step) => ('move' in step ? step.move : step.message))].map((line) => JSON.stringify(line)).join('\n');

const step = fc.record({
  does: fc.constantFrom('turn', 'turn', 'rewind', 'edit', 'restore', 'branch', 'compact', 'refuse', 'mode', 'fork'),
  pick: fc.nat(99),
});

/** Sessions with branches that were left and found again in every way, compactions, turns that were taken back, and forks of such sessions. */
export const history: fc.Arbitrary<SessionState> = fc.array(step, { maxLength: 25 }).map((steps) => {
  const session = new History();
  for (const { does, pick } of steps) session[does](pick);
  return session.state;
});

class History {
  state = emptyState();
  #count = 0;

  constructor() {
    this.#add({ type: 'session.created', data: { settings: SETTINGS } });
  }

  turn(pick: number): void {
    this.#prompt(this.#uuid(), pick);
    this.#answer();
  }

  rewind(pick: number): void {
    const messages = path(this.state);
    if (messages.length === 0) return;
    const { uuid } = messages[pick % messages.length]!.message;
    const target = pick % 2 === 0 ? { before: uuid } : { after: uuid };
    this.#add(...decideRewind({ type: 'Rewind', rewindId: this.#uuid(), target, reason: pick % 3 === 0 ? `because of ${pick}` : null }, this.state));
  }

  edit(pick: number): void {
    const prompts = path(this.state).filter(({ message }) => message.type === 'user');
    if (prompts.length === 0) return;
    const before = prompts[pick % prompts.length]!.message.uuid;
    const replacedBy = this.#uuid();
    const cause = pick % 2 === 0 ? 'edit' : 'regenerate';
    const [rewound] = decideRewind({ type: 'Rewind', rewindId: this.#uuid(), target: { before }, reason: null }, this.state);
    if (rewound?.type === 'session.rewound') this.#add({ ...rewound, data: { ...rewound.data, cause, replacedBy } });
    this.#prompt(replacedBy, pick);
    this.#answer();
  }

  restore(pick: number): void {
    const rewinds = [...this.state.rewinds.keys()];
    if (rewinds.length > 0) this.#add(...decideRestore({ type: 'Restore', rewindId: rewinds[pick % rewinds.length]! }, this.state));
  }

  branch(pick: number): void {
    const tips = [...leftBranches(this.state).keys()];
    if (tips.length > 0) this.#add(...decideRestoreBranch({ type: 'RestoreBranch', tip: tips[pick % tips.length]! }, this.state));
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
    this.#add({ type: 'session.created', data: { settings: parent.settings, forkedFrom: { sessionId: 'parent', at, seq: parent.version, headHash: '' } } });
  }

  #prompt(uuid: string, pick: number): void {
    this.#append({ type: 'user', uuid, content: `prompt ${uuid}`, ...(pick % 3 === 0 ? { permissionMode: 'plan' } : {}) });
  }

  #answer(): void {
    const uuid = this.#uuid();
    const message = { id: uuid, role: 'assistant', model: 'claude-test', content: [{ type: 'text', text: `answer ${uuid}` }], stop_reason: 'end_turn' };
    this.#append({ type: 'assistant', uuid, message });
  }

  #append(fields: object): void {
    const message = { uuid: this.#uuid(), parentUuid: this.state.head, timestamp: this.#time(), ...fields } as StoredMessage;
    this.#add({ type: 'message.appended', data: { message, turnId: null } });
  }

  #add(...events: readonly NewEvent[]): void {
    for (const event of events) {
      const seq = this.state.version + 1;
      evolve(this.state, { ...event, id: String(seq), seq, time: this.#time(), sessionId: 's', actor: { kind: 'user', id: 'u' } } as SessionEvent);
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
