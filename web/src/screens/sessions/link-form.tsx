import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { BASE } from '../../app/router.tsx';
import { Button, Copy, ErrorNote } from '../../ui/parts.tsx';

const DAY_MS = 86_400_000;
const DAYS = [1, 7, 30];

/** Where a link is opened. The secret is after the #: browsers do not send it, so no log of a server or proxy has it. */
const addressOf = (secret: string): string => `${location.origin}${BASE}/shared#${secret}`;

/** Creates a link. Its address is shown once. */
export function LinkForm({ id, at, onCreated }: { readonly id: string; readonly at?: string; readonly onCreated?: () => void }) {
  const client = useClient();
  const action = useAction();
  const [days, setDays] = useState(7);
  const [address, setAddress] = useState<string | null>(null);
  const create = async (): Promise<void> => {
    const expiresAt = new Date(Date.now() + days * DAY_MS).toISOString();
    const isDone = await action.run(async () => {
      const { secret } = await client.createLink({ id, body: { expiresAt, ...(at === undefined ? {} : { at }) } });
      setAddress(addressOf(secret));
    });
    if (isDone) onCreated?.();
  };
  return (
    <>
      <div className="line">
        <label>
          Valid for
          <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {DAYS.map((one) => (
              <option key={one} value={one}>
                {one === 1 ? '1 day' : `${one} days`}
              </option>
            ))}
          </select>
        </label>
        <Button disabled={action.isBusy} onClick={() => void create()}>
          Create a link
        </Button>
      </div>
      <ErrorNote error={action.error} />
      {address !== null && (
        <p className="note good" role="status">
          <span className="grow">
            Shown this once: <code className="address">{address}</code>
          </span>
          <Copy text={address} />
        </p>
      )}
    </>
  );
}
