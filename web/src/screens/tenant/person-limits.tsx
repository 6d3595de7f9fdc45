import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { LimitFields, limitsOf, type Quotas, textsOf } from './limit-fields.tsx';
import type { User } from './person.tsx';

/** Limits of one person, which hold instead of those of each person. */
export function PersonLimits({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const client = useClient();
  const { data, error, reload } = useLoad((signal) => client.getSettings({}, { signal }), [client]);
  return (
    <Dialog title={`Limits of ${visible(user.name)}`} onClose={onClose}>
      <ErrorNote error={error} onRetry={reload} />
      {!data && !error && <Loading what="the limits" />}
      {data && <Fields userId={user.id} quotas={data.quotas} onClose={onClose} />}
    </Dialog>
  );
}

function Fields({ userId, quotas, onClose }: { readonly userId: string; readonly quotas: Quotas; readonly onClose: () => void }) {
  const client = useClient();
  const action = useAction();
  const [texts, setTexts] = useState(() => textsOf(quotas.users?.[userId]));
  const own = quotas.users?.[userId] !== undefined;
  /** Null: those of each person hold again. */
  const save = async (limits: ReturnType<typeof limitsOf> | null): Promise<void> => {
    const isSaved = await action.run(async () => {
      const stored = await client.getSettings();
      const { [userId]: _, ...others } = stored.quotas.users ?? {};
      const users = limits === null ? others : { ...others, [userId]: limits };
      const { users: _all, ...rest } = stored.quotas;
      await client.updateSettings({ body: { quotas: { ...rest, ...(Object.keys(users).length === 0 ? {} : { users }) } } }, { ifVersion: stored.version });
    });
    if (isSaved) onClose();
  };
  return (
    <form
      className="token-form"
      aria-label="Limits of a person"
      onSubmit={(event) => {
        event.preventDefault();
        void save(limitsOf(texts));
      }}
    >
      <p className="aside">{own ? 'These limits replace' : 'What you save here replaces'} the limits of each person as a whole. An empty field is no limit.</p>
      <div className="limits">
        <LimitFields texts={texts} onChange={setTexts} states={null} others={quotas.user ?? {}} />
      </div>
      <ErrorNote error={action.error} />
      <div className="form-foot">
        {own && (
          <Button className="at-left" disabled={action.isBusy} onClick={() => void save(null)}>
            Use the limits of each person
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={action.isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}
