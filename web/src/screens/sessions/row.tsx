import type { SessionListItem } from '@verbatim/client';
import { memo } from 'react';
import { usePeople } from '../../app/people.ts';
import { Link } from '../../app/router.tsx';
import { useAccount } from '../../app/account.tsx';
import { visible } from '../../text/plain.tsx';
import { plural, short } from '../../app/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { Status, Time } from '../../ui/parts.tsx';

interface Props {
  readonly row: SessionListItem;
  readonly isSelected: boolean;
  readonly onMenu: (row: SessionListItem) => void;
}

export const SessionRow = memo(function SessionRow({ row, isSelected, onMenu }: Props) {
  const { me } = useAccount();
  const nameOf = usePeople();
  const { inputTokens, outputTokens, cacheReadTokens } = row.usage;
  return (
    <div className={`session-row ${isSelected ? 'selected' : ''}`}>
      <Link to={`/sessions/${row.id}`} aria-current={isSelected ? 'page' : undefined}>
        <span className="session-title">
          <span className={`dot ${row.status}`} aria-hidden="true" />
          <bdi>{visible(row.title ?? row.firstText ?? 'New conversation')}</bdi>
        </span>
        <span className="session-brief">
          <bdi>{visible(row.lastText ?? '')}</bdi>
        </span>
        <span className="session-facts">
          {row.status !== 'idle' && <Status value={row.status} />}
          {row.queueLength > 0 && <span>{row.queueLength} queued</span>}
          {row.userId !== me.userId && <span>{nameOf(row.userId)}</span>}
          <span>{plural(row.messageCount, 'message')}</span>
          <span>{short(inputTokens + cacheReadTokens + outputTokens)} tokens</span>
          <Time value={row.updatedAt} />
        </span>
      </Link>
      <button
        type="button"
        className="round menu-button"
        aria-label={`Actions of ${row.title ?? row.firstText ?? 'this new conversation'}`}
        onClick={() => onMenu(row)}
      >
        <Icon name="more" />
      </button>
    </div>
  );
});
