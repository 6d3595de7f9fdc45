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

/** How requests identify themselves: by a token that only this page knows, or by the cookie of a sign-in. */
type Credentials = { readonly token: string } | 'cookie';

/** Set while this browser has the cookie of a sign-in, which scripts cannot see. */
const COOKIE_HINT = 'verbatim-signed-in';

type State =
  | { readonly is: 'checking' }
  | { readonly is: 'out'; readonly reason: string | null }
  | { readonly is: 'in'; readonly me: Me; readonly credentials: Credentials };

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
  const enter = useCallback(async (credentials: Credentials) => {
    const me = await clientWith(credentials, () => {}).getMe();
    setState({ is: 'in', me, credentials });
  }, []);
  useEffect(() => {
    if (localStorage.getItem(COOKIE_HINT) === null || isCode()) return out(null);
    enter('cookie').catch((error: unknown) => {
      const isSignedOut = error instanceof ProblemError && error.status === 401;
      if (isSignedOut) localStorage.removeItem(COOKIE_HINT);
      out(isSignedOut ? null : String((error as Error).message));
    });
  }, [enter, out]);
  const credentials = state.is === 'in' ? state.credentials : null;
  const client = useMemo(() => credentials && clientWith(credentials, () => out('Your sign-in has ended. Sign in again.')), [credentials, out]);
  const account = useMemo(() => {
    if (state.is !== 'in' || !client) return null;
    const signOut = (): void => {
      if (state.credentials === 'cookie') {
        localStorage.removeItem(COOKIE_HINT);
        void client.signOut().finally(() => out(null));
      } else out(null);
    };
    return { client, me: state.me, signOut };
  }, [state, client, out]);
  if (state.is === 'checking') return null;
  if (!account) {
    const withCode = async (code: string): Promise<void> => {
      await clientWith('cookie', () => {}).signIn({ body: { code } });
      expectCookie();
      await enter('cookie');
    };
    return signIn({ reason: state.is === 'out' ? state.reason : null, withToken: (token) => enter({ token }), withCode });
  }
  return <AccountContext value={account}>{children}</AccountContext>;
}

const isCode = (): boolean => location.pathname.endsWith('/sign-in') && location.hash.length > 1;

function clientWith(credentials: Credentials, onRejected: () => void): Client {
  return createClient({
    baseUrl: location.origin,
    ...(credentials === 'cookie' ? {} : { token: credentials.token }),
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
