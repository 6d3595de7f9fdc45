import { type ReactNode, useEffect, useId, useState } from 'react';
import { visible } from '../../text/plain.tsx';
import { Icon } from '../../ui/icon.tsx';

interface Props {
  /** What the labels of its fields call it. */
  readonly title: string;
  /** What it is called, in its row. */
  readonly name: string;
  readonly about: string;
  /** What else its row says, shortly. */
  readonly facts: readonly string[];
  /** It is not stored yet: its fields are shown from the beginning. */
  readonly isNew: boolean;
  /** One of its fields is wrong: they are shown. */
  readonly hasFault: boolean;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** One of several in a form: a row, with its fields below it when it is opened. What is written in them stays while they are not shown. */
export function Entry({ title, name, about, facts, isNew, hasFault, onRemove, children }: Props) {
  const [isOpen, setOpen] = useState(isNew);
  useEffect(() => {
    if (hasFault) setOpen(true);
  }, [hasFault]);
  const isShown = isOpen || hasFault;
  const fields = useId();
  return (
    <div className="entry" role="group" aria-label={title}>
      <div className="entry-head">
        <button type="button" aria-expanded={isShown} aria-controls={fields} onClick={() => setOpen(!isShown)}>
          <span className={`caret ${isShown ? 'open' : ''}`} aria-hidden="true" />
          <strong>
            <bdi>{visible(name)}</bdi>
          </strong>
          <span className="aside entry-about">
            <bdi>{visible(about)}</bdi>
          </span>
          <span className="aside entry-facts">{visible(facts.filter((fact) => fact !== '').join(' · '))}</span>
        </button>
        <button type="button" className="round" aria-label={`Remove ${title}`} title="Remove" onClick={onRemove}>
          <Icon name="close" />
        </button>
      </div>
      <div id={fields} className="entry-fields" hidden={!isShown}>
        {children}
      </div>
    </div>
  );
}
