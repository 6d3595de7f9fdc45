import { type ReactNode, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Icon } from './icon.tsx';
import { Button } from './parts.tsx';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
}

/** A field in which something is written. */
const FIELD = '.dialog-body :is(input:not([type=checkbox], [type=radio], [type=file]), textarea)';

/**
 * A modal dialog of the browser: it keeps the focus, Escape closes it, and the focus returns to where it was. It is a child of the page, so that it looks the
 * same whatever opened it: a cell of a table would give it the alignment of its text.
 */
export function Dialog({ title, onClose, children, footer }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current!;
    if (!element.open) element.showModal();
    // The first field, not the button that closes it; on a phone that would cover the dialog with its keyboard.
    if (matchMedia('(hover: hover)').matches && document.activeElement?.closest('.dialog-head')) element.querySelector<HTMLElement>(FIELD)?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return createPortal(
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose} onCancel={onClose}>
      <div className="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <Button look="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <div className="dialog-body">{children}</div>
      {footer && <div className="dialog-foot">{footer}</div>}
    </dialog>,
    document.body,
  );
}
