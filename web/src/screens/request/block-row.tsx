import { memo, type ReactNode } from 'react';
import { Link } from '../../app/router.tsx';
import { Diff } from '../../text/diff.tsx';
import { visible } from '../../text/plain.tsx';
import { Badge, Json, Time } from '../../ui/parts.tsx';
import type { Row } from './align.ts';
import { actionWords, blockText, kindOf, storedLabel, withoutBytes } from './describe.ts';

interface Props {
  /** Null: the block is stored nowhere. */
  readonly sessionId: string | null;
  readonly row: Row;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A stored block beside what was sent of it. The reason of every change is in sight; the difference is one click away. */
export const BlockRow = memo(function BlockRow({ sessionId, row, isOpen, onToggle }: Props) {
  const { stored, sent, entry, isJoined } = row;
  const { action, pass, reason } = entry;
  return (
    <div role="group" className={`block-row ${action} ${isOpen ? 'open' : ''}`} aria-label={`Block ${actionWords(action)}`}>
      {action !== 'kept' && (
        <p className="why">
          <Badge tone={action}>{action}</Badge>
          <span>
            {actionWords(action)}
            {reason && (
              <>
                : <strong>{reason}</strong>
              </>
            )}
          </span>
          {pass && <code className="pass">{pass}</code>}
        </p>
      )}
      <button type="button" className="pair" aria-expanded={isOpen} onClick={onToggle}>
        <Side
          label={stored && `${storedLabel(stored)}${stored.message.type === 'assistant' || stored.index > 0 ? ` · block ${stored.index + 1}` : ''}`}
          time={sessionId === null ? undefined : stored?.message.timestamp}
        >
          {stored ? <Preview block={stored.block} isWhole={isOpen} /> : <p className="nothing">{sessionId === null ? 'not given' : 'not stored'}</p>}
        </Side>
        <Side label={sent && `${sent.role} · message ${sent.message + 1}, block ${sent.block + 1}`}>
          {sent ? <Preview block={sent.content} isWhole={isOpen} /> : <p className="nothing">{isJoined ? '↑ in the block above' : 'not sent'}</p>}
        </Side>
      </button>
      {isOpen && (
        <div className="detail">
          {stored && sent && action === 'changed' && (
            <>
              <h3>Difference</h3>
              <Diff {...textsOf(stored.block, sent.content)} label="Difference between stored and sent" />
            </>
          )}
          <div className="raws">
            {stored && (
              <div>
                <h3>
                  {sessionId === null ? (
                    'Given'
                  ) : (
                    <>
                      Stored · <Link to={`/sessions/${sessionId}?message=${stored.message.uuid}`}>in the conversation</Link>
                    </>
                  )}
                </h3>
                <Json value={withoutBytes(stored.block)} label="Stored block" />
              </div>
            )}
            {sent && (
              <div>
                <h3>Sent</h3>
                <Json value={withoutBytes(sent.content)} label="Sent block" />
              </div>
            )}
          </div>
        </div>
      )}
    </div>
  );
});

/** What differs: the texts, or else other members, such as a mark of the cache. */
function textsOf(stored: unknown, sent: unknown): { readonly before: string; readonly after: string } {
  const [before, after] = [blockText(stored), blockText(sent)];
  if (before !== after) return { before, after };
  return { before: JSON.stringify(withoutBytes(stored), null, 2), after: JSON.stringify(withoutBytes(sent), null, 2) };
}

function Side({ label, time, children }: { readonly label: string | null; readonly time?: string | undefined; readonly children: ReactNode }) {
  return (
    <span className="side">
      {label !== null && (
        <span className="side-label">
          {label} {time && <Time value={time} />}
        </span>
      )}
      {children}
    </span>
  );
}

const PREVIEW = 700;

function Preview({ block, isWhole }: { readonly block: unknown; readonly isWhole: boolean }) {
  const kind = kindOf(block);
  const text = blockText(block);
  const shown = isWhole ? text.slice(0, 20_000) : text.slice(0, PREVIEW);
  return (
    <span className={`preview ${kind === 'text' || kind === 'thinking' ? '' : 'mono'} ${isWhole ? 'whole' : ''}`}>
      {kind !== 'text' && <span className="kind">{kind.replaceAll('_', ' ')}</span>}
      <bdi>{visible(shown)}</bdi>
      {text.length > shown.length && <span className="aside"> … {text.length - shown.length} more characters</span>}
    </span>
  );
}
