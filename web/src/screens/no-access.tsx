import { ProblemError } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../app/account.tsx';
import { useAction } from '../app/load.ts';
import { Link } from '../app/router.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Button, Empty, ErrorNote } from '../ui/parts.tsx';

interface Props {
  readonly id: string;
  readonly error: unknown;
  /** Reads the conversation again. */
  readonly onOpened: () => void;
}

const NOT_YOURS = ['session_not_found', 'forbidden'];

/** A conversation that the user may not read, or that does not exist: what is missing, and for admins and auditors how to read it all the same. */
export function NoAccess({ id, error, onOpened }: Props) {
  const { me } = useAccount();
  const isDenied = error instanceof ProblemError && NOT_YOURS.includes(error.code);
  if (!isDenied) {
    return (
      <>
        <ErrorNote error={error} onRetry={onOpened} />
        <Empty title="This conversation cannot be shown">
          <Link to="/">All conversations</Link>
        </Empty>
      </>
    );
  }
  return (
    <div className="page no-access">
      <Empty title="You cannot open this conversation">
        <p>It does not exist, or it is not shared with you. If it exists, its owner can share it with you.</p>
        {me.role === 'auditor' && (
          <p>
            As an auditor you may see <Link to={`/sessions/${id}/requests`}>its requests</Link>, without their content, and{' '}
            <Link to={`/sessions/${id}/audit`}>its audit</Link>.
          </p>
        )}
        <div className="bar">
          <Link to="/" className="button plain">
            All conversations
          </Link>
          {me.role !== 'member' && <EmergencyAccess id={id} onOpened={onOpened} />}
        </div>
        {me.role !== 'member' && <p className="aside">Emergency access is for cases that cannot wait: it asks for a reason, and the owner is told.</p>}
      </Empty>
    </div>
  );
}

function EmergencyAccess({ id, onOpened }: { readonly id: string; readonly onOpened: () => void }) {
  const { client, me } = useAccount();
  const action = useAction();
  const [reason, setReason] = useState('');
  const [isAsked, setAsked] = useState(false);
  const open = async (): Promise<void> => {
    if (await action.run(() => client.breakGlass({ id, body: { reason: reason.trim() } }))) onOpened();
  };
  if (!isAsked) {
    return <Button onClick={() => setAsked(true)}>Emergency access…</Button>;
  }
  const isMissing = action.error instanceof ProblemError && action.error.code === 'session_not_found';
  const footer = (
    <>
      <Button onClick={() => setAsked(false)}>Cancel</Button>
      <Button type="submit" form="emergency" look="primary" disabled={action.isBusy || reason.trim() === ''}>
        Get emergency access
      </Button>
    </>
  );
  return (
    <Dialog title="Emergency access" onClose={() => setAsked(false)} footer={footer}>
      <p>
        You can read this conversation for {me.breakGlassMinutes} minutes. Its owner sees who you are, when and why; each of your reads is recorded.
        {me.role === 'auditor' && ' Its requests without their content and its audit need no emergency access.'}
      </p>
      <form
        id="emergency"
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
      >
        <label>
          Reason, for the owner
          <input value={reason} required maxLength={500} placeholder="Such as ticket 17" onChange={(event) => setReason(event.target.value)} />
        </label>
      </form>
      {isMissing ? (
        <p className="note bad" role="alert">
          There is no conversation with this id in the tenant.
        </p>
      ) : (
        <ErrorNote error={action.error} />
      )}
    </Dialog>
  );
}
