import { memo, type ReactNode } from 'react';
import { Link } from '../../app/router.tsx';
import { visible } from '../../text/plain.tsx';
import { SplitDiff } from '../../text/split-diff.tsx';
import { Badge, Json, Time } from '../../ui/parts.tsx';
import type { Row } from './align.ts';
import { actionWords, blockText, hasCacheMark, isSame, kindOf, storedLabel, textsOf, withoutBytes } from './describe.ts';

interface Props {
  /** Null: the block is stored nowhere. */
  readonly sessionId: string | null;
  /** What the sides are called. */
  readonly labels: readonly [left: string, right: string];
  readonly row: Row;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A stored block and what was sent of it: once where both are the same, otherwise as a difference. The reason of every change is in sight. */
export const BlockRow = memo(function BlockRow({ sessionId, labels, row, isOpen, onToggle }: Props) {
  const { stored, sent, entry } = row;
  const actions = [...new Set(row.entries.map(({ action }) => action))];
  const kind = kindOf(sent?.content ?? stored?.block ?? null);
  const name = stored ? storedLabel(stored) : (sent?.role ?? 'block');
  const kindInWords = kind.replaceAll('_', ' ');
  // What several passes did in the same way stands together, with one badge.
  const why = actions.flatMap((action) => row.entries.filter((one) => one.action === action));
  return (
    <div
      role="group"
      className={`block-row ${actions.join(' ')} ${isOpen ? 'open' : ''}`}
      aria-label={`Block ${[...new Set(row.entries.map(({ action }) => actionWords(action)))].join(', ')}`}
    >
      <button type="button" className="block-head" aria-expanded={isOpen} onClick={onToggle}>
        <span className={`caret ${isOpen ? 'open' : ''}`} aria-hidden="true" />
        <strong>{name}</strong>
        {kind !== 'text' && kind !== 'message' && kindInWords !== name && <span className="kind">{kindInWords}</span>}
        {sent && hasCacheMark(sent.content) && <span className="kind">cache up to here</span>}
        {stored && sessionId !== null && (
          <span className="aside">
            <Time value={stored.message.timestamp} />
          </span>
        )}
        <span className="block-place">
          {sent ? (
            <>
              {sent.role} · <span className="not-phone">messages.</span>
              {sent.message}.<span className="not-phone">content.</span>
              {sent.block}
            </>
          ) : row.isJoined ? (
            ''
          ) : (
            'not sent'
          )}
        </span>
      </button>
      {entry.action !== 'kept' && (
        <ul className="why">
          {why.map(({ action, pass, reason }, index) => (
            <li key={action + pass + reason}>
              {why[index - 1]?.action !== action && <Badge tone={action}>{action}</Badge>} <span>{withoutAction(reason, action) || actionWords(action)}</span>{' '}
              {pass && pass !== 'none' && <code className="pass">{pass}</code>}
            </li>
          ))}
        </ul>
      )}
      <Content row={row} labels={labels} isStoredNowhere={sessionId === null} isOpen={isOpen} />
      {isOpen && <Detail sessionId={sessionId} row={row} />}
    </div>
  );
});

/** Characters of both sides. Longer ones are compared when the block is opened: many are in view at once, and each comparison takes time. */
const COMPARED = 50_000;

function Content({
  row: { stored, sent, isJoined },
  labels,
  isStoredNowhere,
  isOpen,
}: {
  readonly row: Row;
  readonly labels: Props['labels'];
  readonly isStoredNowhere: boolean;
  readonly isOpen: boolean;
}) {
  if (stored && sent) {
    if (isSame(stored.block, sent.content)) {
      return (
        <div className="side">
          <Preview block={sent.content} isWhole={isOpen} />
        </div>
      );
    }
    const texts = textsOf(stored.block, sent.content);
    if (isOpen || texts.before.length + texts.after.length <= COMPARED) {
      return <SplitDiff {...texts} labels={[labels[0], 'Sent']} label={`Difference between stored and sent, messages.${sent.message}.content.${sent.block}`} />;
    }
  }
  return (
    <div className="pair">
      <Side label={labels[0]}>
        {stored ? <Preview block={stored.block} isWhole={isOpen} /> : <p className="nothing">{isStoredNowhere ? 'not given' : 'not stored'}</p>}
      </Side>
      <Side label="Sent">
        {sent ? <Preview block={sent.content} isWhole={isOpen} /> : <p className="nothing">{isJoined ? '↑ in the block above' : 'not sent'}</p>}
      </Side>
    </div>
  );
}

/** Both forms as JSON; one where they are the same. */
function Detail({ sessionId, row: { stored, sent } }: { readonly sessionId: string | null; readonly row: Row }) {
  const isOne = stored !== null && sent !== null && isSame(stored.block, sent.content);
  return (
    <div className="detail raws">
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
            {isOne && ', and sent as it is'}
          </h3>
          {!isOne && <Json value={withoutBytes(stored.block)} label="Stored block" />}
          {isOne && <Json value={withoutBytes(sent.content)} label="Sent block" />}
        </div>
      )}
      {sent && !isOne && (
        <div>
          <h3>Sent</h3>
          <Json value={withoutBytes(sent.content)} label="Sent block" />
        </div>
      )}
    </div>
  );
}

function Side({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="side">
      <span className="side-label">{label}</span>
      {children}
    </div>
  );
}

/** The badge says what was done; some reasons begin with the same word. */
const withoutAction = (reason: string, action: string): string => (reason.startsWith(`${action} `) ? reason.slice(action.length + 1) : reason);

/** Characters of a block that is opened, and of one that is not. */
const WHOLE = 20_000;
const PREVIEW = 700;
/** Lines of a preview, as in the styles. */
const PREVIEW_LINES = 5;

/** The beginning of a long text, up to its first code block: of that there would be a line or two. Empty lines say nothing. */
function excerptOf(text: string): string {
  if (text.split('\n', PREVIEW_LINES + 1).length <= PREVIEW_LINES) return text.length > PREVIEW ? `${text.slice(0, PREVIEW)} …` : text;
  const lines = text
    .slice(0, PREVIEW)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const code = lines.findIndex((line, at) => at > 0 && line.startsWith('```'));
  const shown = lines.slice(0, code < 0 ? PREVIEW_LINES : Math.min(code, PREVIEW_LINES));
  return shown.length < lines.length || text.length > PREVIEW ? `${shown.join('\n')} …` : shown.join('\n');
}

function Preview({ block, isWhole }: { readonly block: unknown; readonly isWhole: boolean }) {
  const kind = kindOf(block);
  const text = blockText(block);
  const shown = isWhole ? text.slice(0, WHOLE) : excerptOf(text);
  return (
    <div className={`preview ${kind === 'text' || kind === 'thinking' ? '' : 'mono'} ${isWhole ? 'whole' : ''}`}>
      <bdi>{visible(shown)}</bdi>
      {isWhole && text.length > WHOLE && <span className="aside"> … {text.length - WHOLE} more characters</span>}
    </div>
  );
}
