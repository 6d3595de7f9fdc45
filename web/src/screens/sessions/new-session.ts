import { useCallback } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { navigate } from '../../app/router.tsx';

export interface NewSession {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly run: () => Promise<void>;
}

export function useNewSession(): NewSession {
  const client = useClient();
  const { isBusy, error, run } = useAction();
  const create = useCallback(async () => {
    await run(async () => navigate(`/sessions/${(await client.createSession({ body: {} })).id}`));
  }, [client, run]);
  return { isBusy, error, run: create };
}
