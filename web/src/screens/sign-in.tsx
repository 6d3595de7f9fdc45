import { createClient } from '@verbatim/client';
import { useEffect, useState } from 'react';
import { expectCookie, type SignIn } from '../app/account.tsx';
import { useAction, useLoad } from '../app/load.ts';
import { BASE, navigate, useLocation } from '../app/router.tsx';
import { Button, ErrorNote } from '../ui/parts.tsx';
import { SignInStory } from './sign-in-story.tsx';

const PATH = '/sign-in';

/** Signs in by a one-time link, at the identity provider, or with a token, by a cookie that no script can read. */
export function SignInScreen({ reason, withToken, withCode }: SignIn) {
  const { path, query } = useLocation();
  const action = useAction();
  const [token, setToken] = useState('');
  const [isToken, setIsToken] = useState(false);
  const methods = useLoad((signal) => createClient({ baseUrl: location.origin }).getSignInMethods({}, { signal }), []).data?.methods ?? [];
  const { run } = action;
  const enter = async (task: () => Promise<void>): Promise<void> => {
    if ((await run(task)) && path === PATH) navigate('/', { replace: true });
  };
  useEffect(() => {
    const code = location.hash.slice(1);
    if (path !== PATH || code === '') return;
    // The code is valid once: it does not stay in the history of the browser.
    history.replaceState(null, '', BASE + PATH);
    void enter(() => withCode(code));
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const failed = query.get('error');
  const showsToken = isToken || !methods.includes('oidc');
  return (
    <main className="sign-in">
      <SignInStory />
      <div className="sign-in-box">
        <h2>Sign in</h2>
        {reason && <p role="status">{reason}</p>}
        {failed && (
          <p className="note bad" role="alert">
            {failed === 'unavailable' ? 'The identity provider cannot be reached.' : 'The identity provider did not sign you in.'} Request{' '}
            {query.get('instance')}
          </p>
        )}
        <ErrorNote error={action.error} />
        {methods.includes('oidc') && (
          <a
            className="button primary"
            href={`/v1/sign-in/oidc?returnTo=${encodeURIComponent(path === PATH ? BASE : location.pathname)}`}
            onClick={expectCookie}
          >
            Sign in with your organization
          </a>
        )}
        {showsToken ? (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void enter(() => withToken(token.trim()));
            }}
          >
            <label>
              Token
              <input type="password" autoComplete="off" spellCheck={false} required value={token} onChange={(event) => setToken(event.target.value)} />
            </label>
            <Button look="primary" type="submit" disabled={action.isBusy || token.trim() === ''}>
              Sign in
            </Button>
          </form>
        ) : (
          <Button look="quiet" onClick={() => setIsToken(true)}>
            Use a token
          </Button>
        )}
        <div className="aside sign-in-foot">
          <p>
            <code>npm start</code> and <code>verbatim sign-in-link</code> print a link that signs this browser in.
          </p>
          <p>A token is kept until you sign out or close the browser.</p>
        </div>
      </div>
    </main>
  );
}
