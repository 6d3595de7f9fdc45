import { useState } from 'react';
import { Icon } from './icon.tsx';
import { Menu, type MenuItem } from './menu.tsx';

interface Props {
  /** Of the button, and of the menu that it opens. */
  readonly label: string;
  /** A line stands between them; one without items is left out. */
  readonly groups: readonly (readonly MenuItem[])[];
}

/** Three dots that open a menu. What is chosen also closes it. */
export function MenuButton({ label, groups }: Props) {
  const [at, setAt] = useState<HTMLButtonElement | null>(null);
  const close = (): void => setAt(null);
  const closing = ({ run, ...item }: MenuItem): MenuItem => ({ ...item, run: () => (close(), run()) });
  return (
    <>
      <button
        type="button"
        className="round"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        onClick={({ currentTarget }) => setAt(at === null ? currentTarget : null)}
      >
        <Icon name="more" />
      </button>
      {at !== null && <Menu label={label} at={at} groups={groups.map((group) => group.map(closing))} onClose={close} />}
    </>
  );
}
