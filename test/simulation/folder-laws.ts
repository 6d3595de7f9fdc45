import { createHash } from 'node:crypto';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import { inherited } from '../../src/session/decide/fork.js';
import { evolve } from '../../src/session/state/evolve.js';
import { emptyState, type SessionState } from '../../src/session/state/state.js';
import { filesOf } from '../../src/session/state/workspace.js';
import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import type { SimulatedClient } from './client.js';
import type { World } from './world.js';

/** The file of a call, and what it writes into it and into the file that all calls share. */
export const fileOf = (toolUseId: string): string => `of/${toolUseId}`;
export const textOf = (toolUseId: string): string => `written by ${toolUseId}`;
export const SHARED_FILE = 'shared';

const hashOf = (toolUseId: string): string => createHash('sha256').update(textOf(toolUseId)).digest('hex');

/** What a finished call wrote is in the log's files when its end is recorded, and a rewind with files goes to the files of then. Erased sessions are left out. */
export async function folderLaws(events: readonly SessionEvent[], world: World, { tenantId }: SimulatedClient): Promise<readonly string[]> {
  if (!world.scenario.folders) return [];
  const [created] = events;
  const from = created?.type === 'session.created' ? created.data.forkedFrom : undefined;
  const parent = from ? await world.store.events.load(tenantId, from.sessionId) : [];
  if ([...events, ...parent].some(({ type }) => type === 'content.erased')) return [];
  const start = async (): Promise<SessionState> =>
    from ? inherited(await new CachedSessions(world.store.events, 0).loadAt(tenantId, from.sessionId, from.seq), from) : emptyState();
  const state = await start();
  const found: string[] = [];
  const finished = new Set<string>();
  /** What each turn found, until it changed files itself. */
  const turns = new Map<string, { files: string; hasChanged: boolean }>();
  const told = (): string => JSON.stringify([...filesOf(state.workspace, state.workspace.head)].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  for (const event of events) {
    const earlier = event.type === 'workspace.changed' ? state.workspace.head : null;
    evolve(state, event);
    if (event.type === 'turn.started') turns.set(event.data.turnId, { files: told(), hasChanged: false });
    if (event.type === 'workspace.changed' && event.data.base === earlier) {
      const turn = turns.get(event.data.turnId ?? '');
      if (event.data.cause === 'step' && turn) turn.hasChanged = true;
      if (event.data.cause === 'outside' && turn && !turn.hasChanged) turn.files = told();
      const again = event.data.cause === 'outside' ? event.data.files.filter(({ sha256 }) => finished.has(sha256)) : [];
      if (again.length > 0) found.push(`${again[0]!.path} was recorded by its call, and is recorded again as something else's by event ${event.seq}`);
    }
    if (event.type === 'tool.completed' && event.data.outcome === 'finished' && world.written.has(event.data.toolUseId)) {
      const { toolUseId } = event.data;
      finished.add(hashOf(toolUseId));
      const file = filesOf(state.workspace, state.workspace.head).get(fileOf(toolUseId));
      if (file?.sha256 !== hashOf(toolUseId)) found.push(`call ${toolUseId} has finished, and the log's files lack what it wrote`);
    }
    if (event.type === 'session.rewound' && event.data.files && event.data.before !== undefined) {
      const turn = state.turns.get(state.messages.get(event.data.before)?.turnId ?? '');
      const then = turn?.messages[0] === event.data.before ? turns.get(turn.turnId) : undefined;
      if (then && told() !== then.files) found.push(`the files after rewind ${event.data.rewindId} are not those of then`);
    }
  }
  return found;
}
