import { useEffect, useRef } from 'react';

export type Shortcuts = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>;

/** Single keys, pressed where no text is written, on a page that no dialog, menu or panel covers: those have the keys, Escape first. The innermost view that knows the key gets it. */
export function useKeys(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (document.querySelector('dialog[open], :popover-open')) return;
      const action = latest.current[event.key];
      if (!action) return;
      event.preventDefault();
      action(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** What `?` shows, by where it holds. */
export const HELP: readonly (readonly [where: string, lines: readonly (readonly [keys: string, does: string])[]])[] = [
  [
    'Everywhere',
    [
      ['Ctrl+K', 'Go to, or do (Mac: Cmd+K)'],
      ['n', 'New conversation'],
      ['g', 'List of conversations'],
      ['i', 'Import conversations'],
      ['p', 'Try a payload'],
      ['Escape', 'Stop, close or leave a field'],
      ['?', 'This help'],
    ],
  ],
  [
    'In lists',
    [
      ['j', 'Next'],
      ['k', 'Previous'],
      ['Enter', 'Open'],
      ['x', 'Select, for several'],
      ['/', 'Search'],
    ],
  ],
  [
    'Views of a conversation',
    [
      ['c', 'Messages'],
      ['r', 'Requests'],
      ['b', 'Branches'],
      ['f', 'Files'],
      ['t', 'Timeline'],
      ['a', 'Audit'],
      ['[', 'Previous request'],
      [']', 'Next request'],
    ],
  ],
  [
    'In a conversation',
    [
      ['/', 'Write a prompt'],
      ['y', 'Approve the call that waits'],
      ['d', 'Deny it'],
      ['w', 'Rewind to the selected prompt'],
      ['u', 'Undo a rewind'],
      ['h', 'Previous version of a message'],
      ['l', 'Next version'],
    ],
  ],
  [
    'At the start of a prompt',
    [
      ['/ …', 'A command'],
      ['! …', 'In the shell, where there is one'],
    ],
  ],
];
