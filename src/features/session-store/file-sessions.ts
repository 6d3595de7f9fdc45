import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Sessions } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';
import { type FileKey, sessionOfFile } from './store-ids.js';

/** A file may be erased and written again so often; each time it is another session. */
const MOST_ERASED = 2 ** 20;

/** Which session a session file is. */
@Injectable()
export class FileSessions {
  constructor(private readonly sessions: Sessions) {}

  /** The session of a file; version 0: the file was never written, or it was erased. The state is read at once: it advances with the log. */
  async find(owner: { readonly tenantId: string; readonly userId: string }, key: FileKey): Promise<{ readonly id: string; readonly state: SessionState }> {
    const load = async (erased: number) => {
      const id = sessionOfFile(owner, key, erased);
      return { id, state: await this.sessions.load(owner.tenantId, id) };
    };
    const first = await load(0);
    if (!first.state.erased) return first;
    // Sessions are erased in their order, so the first one that is not is between the last of these and twice its number.
    let from = 0;
    let to = 1;
    while ((await load(to)).state.erased) {
      if (to >= MOST_ERASED) throw new DomainError('session_erased', `This session file was erased ${MOST_ERASED} times; name it otherwise.`);
      from = to;
      to *= 2;
    }
    while (to - from > 1) {
      const middle = Math.floor((from + to) / 2);
      if ((await load(middle)).state.erased) from = middle;
      else to = middle;
    }
    return load(to); // its state may have changed meanwhile
  }
}
