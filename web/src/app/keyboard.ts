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

/** What `?` shows. */
export const HELP: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl+K', 'go to a conversation or a screen, or do something; Cmd+K on a Mac'],
  ['j, k', 'next, previous session, message, or change'],
  ['Enter', 'open what is selected'],
  ['x', 'in the list: select what has the focus, to archive, pin or close several'],
  ['/', 'search; in a conversation: write a prompt'],
  ['n', 'new conversation'],
  ['i', 'import conversations'],
  ['p', 'try a payload'],
  ['g', 'list of conversations'],
  ['c, r, b, f, t, a', 'of a conversation: messages, requests, branches, files, timeline, audit'],
  ['w, u', 'rewind to the selected prompt, or the newest; undo a rewind'],
  ['y, d', 'approve, deny the first call that waits'],
  ['h, l', 'previous, next version of the selected message, or the newest that has any'],
  ['[ , ]', 'previous, next request'],
  ['/ …', 'at the start of a prompt: a command'],
  ['! …', 'at the start of a prompt: runs in the shell of the conversation, where the server has one'],
  ['Escape', 'stop the answer, close, or leave the field'],
  ['?', 'this help'],
];
