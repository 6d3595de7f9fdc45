import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../../ui/icon.tsx';

interface Props {
  /** Of the button that opens it. */
  readonly label: string;
  readonly children: ReactNode;
}

/** What can be done to a row, once it is asked for. A click on an entry, Escape, and leaving it with the focus close it. */
export function RowMenu({ label, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const entries = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) entries.current?.querySelector('button')?.focus();
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      className="row-menu"
      onBlur={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <button ref={button} type="button" className="round" aria-label={label} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="more" />
      </button>
      {isOpen && (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
        <div ref={entries} className="row-menu-entries" role="group" aria-label={label} onClick={close}>
          {children}
        </div>
      )}
    </div>
  );
}
