import { type AnswerOf, type Client, createClient, ProblemError } from '@verbatim/client';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';

export type Me = AnswerOf<'getMe'>;

interface Account {
  readonly client: Client;
  readonly me: Me;
  readonly signOut: () => void;
}

const AccountContext = createContext<Account | null>(null);

export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error('No one is signed in.');
  return account;
}

export const useClient = (): Client => useAccount().client;

/** Set while this browser has the cookie of a sign-in, which scripts cannot see. */
const COOKIE_HINT = 'verbatim-signed-in';

type State = { readonly is: 'checking' } | { readonly is: 'out'; readonly reason: string | null } | { readonly is: 'in'; readonly me: Me };

export interface SignIn {
  /** Why no user is signed in, such as an expired token; null at the first visit. */
  readonly reason: string | null;
  readonly withToken: (token: string) => Promise<void>;
  /** With the code of a one-time link. */
  readonly withCode: (code: string) => Promise<void>;
}

/** Notes that this browser may have the cookie of a sign-in, which scripts cannot see. */
export const expectCookie = (): void => localStorage.setItem(COOKIE_HINT, '1');

/** Asks who is signed in, shows `signIn` when no one is, and otherwise provides the client to `children`. */
export function AccountProvider({ signIn, children }: { readonly signIn: (form: SignIn) => ReactNode; readonly children: ReactNode }) {
  const [state, setState] = useState<State>({ is: 'checking' });
  const out = useCallback((reason: string | null) => setState({ is: 'out', reason }), []);
  const enter = useCallback(async () => setState({ is: 'in', me: await clientOf(() => {}).getMe() }), []);
  useEffect(() => {
    if (localStorage.getItem(COOKIE_HINT) === null || isCode()) return out(null);
    enter().catch((error: unknown) => {
      const isSignedOut = error instanceof ProblemError && error.status === 401;
      if (isSignedOut) localStorage.removeItem(COOKIE_HINT);
      out(isSignedOut ? null : String((error as Error).message));
    });
  }, [enter, out]);
  const client = useMemo(() => clientOf(() => out('Your sign-in has ended. Sign in again.')), [out]);
  const account = useMemo(() => {
    if (state.is !== 'in') return null;
    const signOut = (): void => {
      sessionStorage.clear(); // what was being written
      localStorage.removeItem(COOKIE_HINT);
      void client.signOut().finally(() => out(null));
    };
    return { client, me: state.me, signOut };
  }, [state, client, out]);
  if (state.is === 'checking') return null;
  if (!account) {
    const begin = async (body: { readonly code: string } | { readonly token: string }): Promise<void> => {
      await clientOf(() => {}).signIn({ body });
      expectCookie();
      await enter();
    };
    return signIn({ reason: state.is === 'out' ? state.reason : null, withToken: (token) => begin({ token }), withCode: (code) => begin({ code }) });
  }
  return <AccountContext value={account}>{children}</AccountContext>;
}

const isCode = (): boolean => location.pathname.endsWith('/sign-in') && location.hash.length > 1;

/** Its requests have the cookie of the sign-in. */
function clientOf(onRejected: () => void): Client {
  return createClient({
    longestPauseMs: 5_000, // a person waits
    baseUrl: location.origin,
    fetch: async (input, init) => {
      const response = await fetch(input, init).catch((error: unknown) => {
        if (init?.signal?.aborted !== true) reach(false);
        throw error;
      });
      reach(true);
      if (response.status === 401) onRejected();
      return response;
    },
  });
}

// Whether the last request reached the server.
let isReached = true;
const listeners = new Set<() => void>();

function reach(now: boolean): void {
  if (now === isReached) return;
  isReached = now;
  listeners.forEach((listener) => listener());
}

export const reachability = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  get: (): boolean => isReached,
};
