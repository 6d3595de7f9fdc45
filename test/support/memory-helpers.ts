import { Helpers, type OpenHelper } from '../../src/ports/index.js';
import type { MemoryState, StoredSession } from './memory-state.js';

const place = ({ runs, tenantId, sessionId }: OpenHelper): string => `${runs ? 1 : 0} ${tenantId} ${sessionId}`;

/** As open_helpers and end_helper do. */
export class MemoryHelpers extends Helpers {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    super();
    this.#state = state;
  }

  override async open(limit: number, after: OpenHelper | null): Promise<readonly OpenHelper[]> {
    const due = [...this.#state.sessions.values()].flatMap((session) => this.#dueIn(session));
    return due
      .filter((one) => after === null || place(one) > place(after))
      .toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
      .slice(0, limit);
  }

  override async end(tenantId: string, sessionId: string): Promise<void> {
    const session = this.#state.own(tenantId, sessionId);
    if (session?.helper && session.row.turnId !== session.helper.turnId) session.helper.isOpen = false;
  }

  override async of(tenantId: string, parentId: string): Promise<readonly string[]> {
    const found = [...this.#state.sessions.values()].filter((one) => one.tenantId === tenantId && one.helper?.parentId === parentId);
    return found.map(({ row }) => row.id).toSorted();
  }

  #dueIn({ tenantId, row, helper }: StoredSession): readonly OpenHelper[] {
    if (!helper?.isOpen) return [];
    const { parentId, parentTurnId, turnId } = helper;
    const parent = this.#state.own(tenantId, parentId)?.row;
    const runs = row.turnId === turnId;
    const isDue = parent?.turnId !== parentTurnId || (parent.status === 'waiting' && !runs);
    return isDue ? [{ tenantId, sessionId: row.id, parentId, runs }] : [];
  }
}
