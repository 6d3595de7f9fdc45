import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'verbatim-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const stored = (): Theme => THEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'system';

export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function useTheme(): readonly [Theme, () => void] {
  const [theme, set] = useState(stored);
  const next = (): void => {
    const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
    localStorage.setItem(KEY, chosen);
    applyTheme(chosen);
    set(chosen);
  };
  return [theme, next];
}
