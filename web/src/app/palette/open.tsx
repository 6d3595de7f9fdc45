import { useEffect, useRef, useState } from 'react';
import { Lazy } from '../lazy.tsx';

const Palette = Lazy(() => import('./palette.tsx').then((module) => module.Palette));

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k';

/** The palette while it is open, which Ctrl+K or Cmd+K does wherever the focus is, except in a dialog. */
export function usePalette() {
  const [isOpen, setOpen] = useState(false);
  const typed = useRef('');
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isPaletteKey(event)) return;
      event.preventDefault();
      setOpen((before) => !before && document.querySelector('dialog[open]') === null);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  // Until the palette is fetched and has the focus, what is typed belongs to its field, not to the page.
  useEffect(() => {
    if (!isOpen) return;
    typed.current = '';
    const onKey = (event: KeyboardEvent): void => {
      const { key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      event.stopPropagation();
      if (key === 'Escape') setOpen(false);
      if (key === 'Backspace') typed.current = typed.current.slice(0, -1);
      if (key.length === 1) typed.current += key;
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [isOpen]);
  // What is chosen runs when the dialog is gone, and the focus is back.
  const choose = (run: () => void): void => {
    setOpen(false);
    setTimeout(run);
  };
  return { open: () => setOpen(true), palette: isOpen && <Palette typed={typed} onClose={() => setOpen(false)} onChoose={choose} /> };
}
