import { randomUUID } from 'node:crypto';
import type { StoredMessage } from '../packages/protocol/message/message.js';
import { appendMessage } from '../src/session/state/evolve-turn.js';
import { emptyState, type SessionState } from '../src/session/state/state.js';
import { readTranscript } from '../src/session/transcript/transcript.js';
import { messagesView } from '../src/engine/queries/messages.js';
import { percentile, table, type Row } from './report.js';

const MESSAGES = 100_000;
const ROUNDS = 40;

/** CPU of one page of a long transcript: from the index, and from the whole transcript as a comparison. One message is appended before each page. */
export function benchView(): void {
  const state = emptyState();
  for (let index = 0; index < MESSAGES; index += 1) append(state);
  const page = (after: number, split = false): object => messagesView(state, { view: 'transcript', split, tombstones: false, notes: false, after, limit: 50 });
  const first = cpu(() => page(0));
  const rows: Row[] = [
    row('the first page after a start', [first]),
    row(
      'limit=50, at the beginning',
      sample(state, () => page(0)),
    ),
    row(
      'limit=50, in the middle',
      sample(state, () => page(MESSAGES / 2)),
    ),
    row(
      'limit=50, at the end',
      sample(state, () => page(MESSAGES - 50)),
    ),
    row(
      'limit=50, split, in the middle',
      sample(state, () => page(MESSAGES / 2, true)),
    ),
    row(
      'the whole transcript',
      sample(state, () => readTranscript(state).slice(0, 50)),
    ),
  ];
  table(`A page of ${MESSAGES.toLocaleString('en')} messages (ms CPU)`, rows);
}

function append(state: SessionState): void {
  const seq = state.messages.size + 1;
  const place = { uuid: randomUUID(), parentUuid: state.head, timestamp: '2026-01-01T00:00:00.000Z' };
  const content = [{ type: 'text' as const, text: 'Where is the timeout of the connection pool configured?' }];
  const message: StoredMessage =
    seq % 2 === 1
      ? { ...place, type: 'user', content }
      : { ...place, type: 'assistant', message: { id: 'm', role: 'assistant', model: 'm', content: [...content, ...content], stop_reason: 'end_turn' } };
  appendMessage(state, { message, turnId: null }, seq, { kind: 'user', id: 'u' });
}

function sample(state: SessionState, run: () => unknown): readonly number[] {
  return Array.from({ length: ROUNDS }, () => {
    append(state);
    return cpu(run);
  });
}

function cpu(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function row(label: string, values: readonly number[]): Row {
  return [label, `p50 ${percentile(values, 0.5).toFixed(2)}`, `p99 ${percentile(values, 0.99).toFixed(2)}`, ''];
}
