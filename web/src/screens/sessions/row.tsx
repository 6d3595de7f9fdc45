import type { SessionListItem } from '@verbatim/client';
import { memo } from 'react';
import { usePeople } from '../../app/people.ts';
import { Link } from '../../app/router.tsx';
import { useAccount } from '../../app/account.tsx';
import { visible } from '../../text/plain.tsx';
import { messagesWithText, plural } from '../../app/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { Status, Time } from '../../ui/parts.tsx';
import { previewOf } from './preview.ts';
import { useWaitsFor } from './waits-for.ts';

interface Props {
  readonly row: SessionListItem;
  readonly isSelected: boolean;
  readonly isPinned: boolean;
  readonly isMenuOpen: boolean;
  /** Null: no conversations are being selected. */
  readonly isChecked: boolean | null;
  readonly onCheck: (id: string) => void;
  readonly onMenu: (row: SessionListItem, at: HTMLElement) => void;
}

export const SessionRow = memo(function SessionRow({ row, isSelected, isPinned, isMenuOpen, isChecked, onCheck, onMenu }: Props) {
  const { me } = useAccount();
  const nameOf = usePeople();
  const waitsFor = [...new Set(useWaitsFor(row).map(({ name }) => name))];
  const nameOfRow = visible(row.title ?? row.firstText ?? 'this new conversation');
  return (
    <div className={`session-row ${isSelected ? 'selected' : ''} ${isChecked ? 'checked' : ''} ${isChecked === null ? '' : 'choosing'}`}>
      {isChecked !== null && <input type="checkbox" aria-label={`Select ${nameOfRow}`} checked={isChecked} onChange={() => onCheck(row.id)} />}
      <Link to={`/sessions/${row.id}`} aria-current={isSelected ? 'page' : undefined}>
        <span className="session-title">
          <bdi>{visible(row.title ?? row.firstText ?? 'New conversation')}</bdi>
          {isPinned && (
            <span className="pin" title="Pinned">
              <Icon name="pin" />
              <span className="hidden">pinned</span>
            </span>
          )}
          <Time value={row.updatedAt} />
        </span>
        {row.lastText && (
          <span className="session-brief">
            <bdi>{visible(previewOf(row.lastText))}</bdi>
          </span>
        )}
        <span className="session-facts">
          {row.status !== 'idle' && <Status value={row.status} />}
          {waitsFor.length > 0 && <span className="waits-for">for {visible(waitsFor.join(', '))}</span>}
          {row.queueLength > 0 && <span>{row.queueLength} queued</span>}
          {row.folder && (
            <span className="folder">
              <span className="hidden">in </span>
              <bdi>{visible(row.folder)}</bdi>
            </span>
          )}
          {row.userId !== me.userId && <span>{nameOf(row.userId)}</span>}
          {row.messageCount > 0 ? (
            <span title={messagesWithText(row.messageCount)}>{plural(row.messageCount, 'message')}</span>
          ) : (
            <span>nothing written yet</span>
          )}
        </span>
      </Link>
      <button
        type="button"
        className="round menu-button"
        aria-label={`Actions of ${nameOfRow}`}
        aria-haspopup="menu"
        aria-expanded={isMenuOpen}
        onClick={({ currentTarget }) => onMenu(row, currentTarget)}
      >
        <Icon name="more" />
      </button>
    </div>
  );
});
