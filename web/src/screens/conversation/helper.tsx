import { useEffect } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { visible } from '../../text/plain.tsx';
import { Status } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';

/** Between two looks at a helper that works. */
const LOOK_MS = 2_000;

/** The conversation that carries a call out: its state, its last text, and the way to it. */
export function HelperOf({ helper, isOpen }: { readonly helper: string; readonly isOpen: boolean }) {
  const { id } = useTranscript();
  const client = useClient();
  const { data, reload } = useLoad(
    async (signal) => {
      for (let cursor: string | undefined; ;) {
        const page = await client.listSessions({ parent: id, limit: 200, ...(cursor === undefined ? {} : { cursor }) }, { signal });
        const found = page.data.find((row) => row.id === helper);
        if (found || page.nextCursor === null) return found ?? null;
        cursor = page.nextCursor;
      }
    },
    [client, id, helper, isOpen],
  );
  const isWorking = isOpen || data?.status === 'running' || data?.status === 'waiting';
  useEffect(() => {
    if (!isWorking) return undefined;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isWorking, reload]);
  return (
    <div className="helper" role="group" aria-label="Helper">
      <p>
        <Link to={`/sessions/${helper}`}>Open the conversation of the helper</Link> {data && data.status !== 'idle' && <Status value={data.status} />}
        {data?.status === 'waiting' && isOpen && ' It waits: for a decision there, or for a helper of its own.'}
      </p>
      {isOpen && data?.lastText && (
        <p className="aside">
          <bdi>{visible(data.lastText)}</bdi>
        </p>
      )}
    </div>
  );
}

/** The helper that the message with a result names; null: none. */
export function helperIn(message: object): string | null {
  const result: unknown = 'toolUseResult' in message ? message.toolUseResult : null;
  if (typeof result !== 'object' || result === null || !('sessionId' in result)) return null;
  return typeof result.sessionId === 'string' ? result.sessionId : null;
}
