import { useEffect, useRef } from 'react';

export type Shortcuts = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>;

/** Single keys, pressed where no text is written. The innermost view that knows the key gets it. */
export function useKeys(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
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
      ['Ctrl+K', 'go to a conversation or a screen, or do something; Cmd+K on a Mac'],
      ['n', 'new conversation'],
      ['g', 'list of conversations'],
      ['i', 'import conversations'],
      ['p', 'try a payload'],
      ['Escape', 'stop the answer, close, or leave the field'],
      ['?', 'this help'],
    ],
  ],
  [
    'In lists',
    [
      ['j, k', 'next, previous conversation, message, or change'],
      ['Enter', 'open what is selected'],
      ['x', 'select what has the focus, to archive, pin or close several'],
      ['/', 'search'],
    ],
  ],
  [
    'In a conversation',
    [
      ['c, r, b, f, t, a', 'messages, requests, branches, files, timeline, audit'],
      ['/', 'write a prompt'],
      ['y, d', 'approve, deny the first call that waits'],
      ['w, u', 'rewind to the selected prompt, or the newest; undo a rewind'],
      ['h, l', 'previous, next version of the selected message, or the newest that has any'],
      ['[ , ]', 'previous, next request'],
    ],
  ],
  [
    'At the start of a prompt',
    [
      ['/ …', 'a command'],
      ['! …', 'runs in the shell of the conversation, where the server has one'],
    ],
  ],
];
