import { useEffect, useState } from 'react';
import { Lazy } from '../lazy.tsx';

const Palette = Lazy(() => import('./palette.tsx').then((module) => module.Palette));

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k';

/** The palette while it is open, which Ctrl+K or Cmd+K does wherever the focus is, except in a dialog. */
export function usePalette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isPaletteKey(event)) return;
      event.preventDefault();
      setOpen((before) => !before && document.querySelector('dialog[open]') === null);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  // What is chosen runs when the dialog is gone, and the focus is back.
  const choose = (run: () => void): void => {
    setOpen(false);
    setTimeout(run);
  };
  return { open: () => setOpen(true), palette: isOpen && <Palette onClose={() => setOpen(false)} onChoose={choose} /> };
}
