import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'verbatim-theme';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const stored = (): Theme => THEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'system';

export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** The colours of this browser, and what chooses others. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, set] = useState(stored);
  const choose = (chosen: Theme): void => {
    localStorage.setItem(KEY, chosen);
    applyTheme(chosen);
    set(chosen);
  };
  return [theme, choose];
}
