import { ProblemError } from '@verbatim/client';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { briefTime, bytes, fullTime, preciseTime } from '../app/words.ts';
import { escaped } from '../text/deceiving.ts';
import { Icon } from './icon.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
}

export function Button({ look = 'plain', className = '', ...rest }: ButtonProps) {
  return <button type="button" className={`button ${look} ${className}`} {...rest} />;
}

/** A button that asks once more. */
export function Sure({ label, about, onSure }: { readonly label: string; readonly about: string; readonly onSure: () => void }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <Button
      look="danger"
      aria-label={`${isAsked ? `Really ${label.toLowerCase()}` : label} ${about}`}
      onClick={() => (isAsked ? onSure() : setAsked(true))}
      onBlur={() => setAsked(false)}
    >
      {isAsked ? `Really ${label.toLowerCase()}?` : label}
    </Button>
  );
}

export function Badge({ tone = 'neutral', children, title }: { readonly tone?: string; readonly children: ReactNode; readonly title?: string }) {
  return (
    <span className={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

const STATUS: Readonly<Record<string, string>> = {
  running: 'live',
  waiting: 'warn',
  closed: 'muted',
  failed: 'bad',
  refused: 'warn',
  interrupted: 'warn',
  completed: 'good',
};

export function Status({ value }: { readonly value: string }) {
  return <Badge tone={STATUS[value] ?? 'neutral'}>{value}</Badge>;
}

/** `isPrecise`: with seconds, where the time is the only name of what stands there. */
export function Time({ value, isPrecise = false }: { readonly value: string; readonly isPrecise?: boolean }) {
  return (
    <time dateTime={value} title={fullTime(value)}>
      {isPrecise ? preciseTime(value) : briefTime(value)}
    </time>
  );
}

/** A file of another kind has a fault in every line. */
const SHOWN_ERRORS = 5;

/** What went wrong, in the words of the server, with what to do and the id for the log. */
export function ErrorNote({ error, onRetry, onClose }: { readonly error: unknown; readonly onRetry?: () => void; readonly onClose?: () => void }) {
  if (error === null || error === undefined) return null;
  const isProblem = error instanceof ProblemError;
  return (
    <div className="note bad" role="alert">
      <div>
        <strong>{isProblem ? titleOf(error) : 'The server cannot be reached.'}</strong>{' '}
        {isProblem || navigator.onLine ? messageOf(error) : 'This device is offline.'}
        {isProblem && error.errors.length > 0 && (
          <ul>
            {error.errors.slice(0, SHOWN_ERRORS).map(({ pointer, detail }) => (
              <li key={pointer}>
                <code>{pointer}</code> {detail}
              </li>
            ))}
            {error.errors.length > SHOWN_ERRORS && <li>and {error.errors.length - SHOWN_ERRORS} more</li>}
          </ul>
        )}
        {isProblem && error.instance && <small> Request {error.instance}</small>}
      </div>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
      {onClose && (
        <Button look="quiet" aria-label="Close this message" onClick={onClose}>
          <Icon name="close" />
        </Button>
      )}
    </div>
  );
}

function titleOf({ status, code, problem }: ProblemError): string {
  if (status === 403) return 'You may not do this.';
  return problem?.title === undefined ? code : `${problem.title.replace(/\.$/, '')}.`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Nothing to show, and what to do. `level` 1: it is all that the page says, so that the title is its head. */
export function Empty({ title, level, children }: { readonly title: string; readonly level?: 1; readonly children?: ReactNode }) {
  const Title = level === 1 ? 'h1' : 'p';
  return (
    <div className="empty">
      <Title className="empty-title">{title}</Title>
      {children}
    </div>
  );
}

export { Loading } from './skeleton.tsx';

interface CopyProps {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly look?: ButtonProps['look'];
  /** As an icon only. */
  readonly isIcon?: boolean;
}

export function Copy({ text, label = 'Copy', look = 'plain', isIcon = false }: CopyProps) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  const copy = (): void => {
    const value = typeof text === 'string' ? text : text();
    // The clipboard exists in secure contexts only.
    const written = navigator.clipboard ? navigator.clipboard.writeText(value) : Promise.reject(new Error('no clipboard'));
    written.then(
      () => setState('done'),
      () => setState('failed'),
    );
  };
  const words = { idle: label, done: 'Copied', failed: 'Not allowed by the browser' }[state];
  if (isIcon) {
    return (
      <button type="button" className="action" aria-label={words} title={words} onClick={copy} onBlur={() => setState('idle')}>
        <Icon name={state === 'done' ? 'check' : 'copy'} />
      </button>
    );
  }
  return (
    <Button look={look} onClick={copy} onBlur={() => setState('idle')}>
      {words}
    </Button>
  );
}

const JSON_LIMIT = 100_000;

/** JSON as text, laid out; what is not JSON, as it is. A long one is laid out in parts. */
export function Json({ value, label = 'JSON' }: { readonly value: unknown; readonly label?: string }) {
  return (
    <InParts text={jsonOf(value)} size={JSON_LIMIT}>
      {(part) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className="json" tabIndex={0} aria-label={label}>
          <bdi>{part}</bdi>
        </pre>
      )}
    </InParts>
  );
}

interface InPartsProps {
  readonly text: string;
  /** Characters of the first part. */
  readonly size: number;
  /** Lays out what is shown of the text. */
  readonly children: (part: string) => ReactNode;
}

/** A text of which only the beginning is laid out until more is asked for. */
export function InParts({ text, size, children }: InPartsProps) {
  const [limit, setLimit] = useState(size);
  return (
    <>
      {children(text.slice(0, limit))}
      {text.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit * 4)}>
          Show more: {bytes(text.length - limit)} are left
        </Button>
      )}
    </>
  );
}

/** Characters that reorder or hide text are escaped, which JSON allows. */
function jsonOf(value: unknown): string {
  try {
    return escaped(JSON.stringify(value, null, 2) ?? String(value));
  } catch (error) {
    return `Cannot be shown as JSON: ${messageOf(error)}`;
  }
}
