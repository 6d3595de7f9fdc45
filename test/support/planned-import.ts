import { createHash } from 'node:crypto';
import { uuidFromSha256 } from '../../packages/protocol/message/ids.js';
import type { StoredMessage } from '../../packages/protocol/message/message.js';
import type { NewEvent, SessionEvent, SessionSettings } from '../../packages/protocol/events/events.js';
import { fold } from '../../src/session/state/evolve.js';
import type { SessionState } from '../../src/session/state/state.js';
import { path } from '../../src/session/state/tree.js';
import { changeEvent, changeIn } from '../../src/session/transfer/file-lines.js';
import { plannerFor, sourceOf } from '../../src/session/transfer/format.js';
import { type ImportPlan, modeAfterMoves, type ImportOptions, stepsOf } from '../../src/session/transfer/plan.js';
import { contextEntries } from '../../src/session/payload/conversation.js';

export const SETTINGS: SessionSettings = {
  title: null,
  model: 'claude-test',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  permissions: { allow: [], deny: [], ask: [] },
  tools: [],
  metadata: {},
};
const AT = '2030-01-01T00:00:00.000Z';

export interface PlannedImport {
  readonly plan: ImportPlan;
  readonly state: SessionState;
  /** From the root to the head. */
  readonly path: readonly StoredMessage[];
  /** All other messages, in log order. */
  readonly beside: readonly StoredMessage[];
  /** The context entries before normalization. */
  readonly sent: readonly StoredMessage[];
}

/** Imports a file in memory, without a server. */
export function planned(
  text: string,
  { maxMessageBytes = 1_000_000, keepsRefusedPrompts = false, maxFiles = 20_000 }: Partial<ImportOptions> = {},
): PlannedImport {
  const values = text.split('\n').map(parsed);
  const source = values.map((value) => sourceOf(value)).find((found) => found !== null) ?? 'claude-code';
  const planner = plannerFor(source, {
    maxMessageBytes,
    keepsRefusedPrompts,
    maxFiles,
    uuid: (name) => uuidFromSha256(createHash('sha256').update(name).digest('hex')),
  });
  const lines = text.split('\n');
  values.forEach((value, index) => {
    if (lines[index] === '') return;
    if (value === undefined) planner.skip(index + 1, 'is not JSON');
    else planner.add(index + 1, lines[index]!.length, value);
  });
  const plan = planner.finish(SETTINGS);
  const history = [...stepsOf(plan)].map((step): NewEvent => {
    if ('move' in step) return plan.move(step.move, values[step.move.line - 1]);
    if ('version' in step) {
      const { lines: of, prompt } = step.version;
      const changes = of.map((line) => changeIn(values[line - 1])!);
      return changeEvent(
        changes,
        prompt,
        () => null,
        (_, index) => index,
      );
    }
    const { message } = step;
    const given = message.lines.map((line) => values[line - 1]);
    const named = message.files ? { files: message.files } : {};
    return { type: 'message.appended', data: { message: plan.compose(message, given, AT), turnId: null, ...named } };
  });
  const messages = history.flatMap((event) => (event.type === 'message.appended' ? [event.data.message] : []));
  const counted = { versions: plan.files?.versions.length ?? 0, contents: 0, bytes: 0 };
  const events: NewEvent[] = [
    { type: 'session.created', data: { settings: plan.settings, importing: true } },
    ...history,
    ...[modeAfterMoves(plan)].filter((event) => event !== null),
    { type: 'session.imported', data: { ...plan.report, ...(plan.files ? { files: { ...counted, current: plan.files.current } } : {}) } },
  ];
  const recorded = events.map(
    (event, index) => ({ ...event, id: String(index), seq: index + 1, time: AT, sessionId: 's', actor: { kind: 'user', id: 'u' } }) as SessionEvent,
  );
  const state = fold(recorded);
  const onPath = path(state).map((record) => record.message);
  return { plan, state, path: onPath, beside: messages.filter((message) => !onPath.includes(message)), sent: contextEntries(state) };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
