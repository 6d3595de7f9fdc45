import { useState } from 'react';
import type { SignIn } from '../app/account.tsx';
import { useAction } from '../app/load.ts';
import { Button, ErrorNote } from '../ui/parts.tsx';

export function SignInScreen({ reason, withToken }: SignIn) {
  const [token, setToken] = useState('');
  const action = useAction();
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void action.run(() => withToken(token.trim()));
        }}
      >
        <h1>Verbatim</h1>
        {reason && <p role="status">{reason}</p>}
        <label>
          Token
          <input type="password" autoComplete="off" spellCheck={false} required autoFocus value={token} onChange={(event) => setToken(event.target.value)} />
        </label>
        <ErrorNote error={action.error} />
        <Button look="primary" type="submit" disabled={action.isBusy || token.trim() === ''}>
          Sign in
        </Button>
        <p className="aside">The first start prints a token and keeps it in .data/dev-token. This page forgets it when it is closed or reloaded.</p>
      </form>
    </main>
  );
}
