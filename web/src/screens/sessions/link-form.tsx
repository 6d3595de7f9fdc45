import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { BASE } from '../../app/router.tsx';
import { Button, Copy, ErrorNote } from '../../ui/parts.tsx';

const DAY_MS = 86_400_000;
const DAYS = [1, 7, 30];

/** Where a link is opened. The secret is after the #: browsers do not send it, so no log of a server or proxy has it. */
const addressOf = (secret: string): string => `${location.origin}${BASE}/shared#${secret}`;

interface Props {
  readonly id: string;
  /** The last message that the link shows. With it the form is all of its dialog, and has the foot of one. */
  readonly at?: string;
  readonly onCreated?: (link: { readonly id: string; readonly address: string }) => void;
}

/** Creates a link. Its address is shown once. */
export function LinkForm({ id, at, onCreated }: Props) {
  const client = useClient();
  const action = useAction();
  const [days, setDays] = useState(7);
  const [address, setAddress] = useState<string | null>(null);
  const create = async (): Promise<void> => {
    const expiresAt = new Date(Date.now() + days * DAY_MS).toISOString();
    await action.run(async () => {
      const { secret, id: link } = await client.createLink({ id, body: { expiresAt, ...(at === undefined ? {} : { at }) } });
      setAddress(addressOf(secret));
      onCreated?.({ id: link, address: addressOf(secret) });
    });
  };
  const choice = (
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
  );
  const button = (
    <Button look={at === undefined ? 'plain' : 'primary'} disabled={action.isBusy} onClick={() => void create()}>
      Create a link
    </Button>
  );
  const outcome = (
    <>
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
  if (at === undefined) {
    return (
      <>
        <div className="line">
          {choice}
          {button}
        </div>
        {outcome}
      </>
    );
  }
  return (
    <div className="token-form">
      {choice}
      {outcome}
      <div className="form-foot">
        <Button onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>{address === null ? 'Cancel' : 'Done'}</Button>
        {button}
      </div>
    </div>
  );
}
