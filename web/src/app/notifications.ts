import { useState } from 'react';
import { visible } from '../text/deceiving.ts';

/** What a person who looks elsewhere is told of a conversation, by the type of the event. */
const TEXTS: Readonly<Record<string, string>> = {
  'turn.completed': 'The answer is complete.',
  'turn.failed': 'The answer has failed.',
  'turn.waiting': 'A tool call waits for a decision or a result.',
};
const KEY = 'verbatim-notifications';

const isKnown = (): boolean => typeof Notification === 'function';
const isOn = (): boolean => isKnown() && localStorage.getItem(KEY) !== null && Notification.permission === 'granted';

/** Shows a notification of the browser, when they are on and the page is hidden. A hidden page paints nothing, so this does not wait for what is shown. */
export function notify(type: string, id: string, title: string | null | undefined): void {
  const body = TEXTS[type];
  if (body === undefined || !document.hidden || !isOn()) return;
  try {
    // A later one about the same conversation takes its place.
    const notification = new Notification(visible(title ?? 'Conversation'), { body, tag: id });
    notification.addEventListener('click', () => {
      window.focus();
      notification.close();
    });
  } catch {
    // Browsers of phones have the class, and do not let pages use it.
  }
}

export interface Notifications {
  readonly isOn: boolean;
  /** Turns them on or off; null: the browser has none. The browser asks the person once. */
  readonly toggle: (() => void) | null;
  /** The browser does not allow them. */
  readonly isDenied: boolean;
}

export function useNotifications(): Notifications {
  const [on, setOn] = useState(isOn);
  const [isDenied, setDenied] = useState(false);
  const toggle = async (): Promise<void> => {
    if (isOn()) localStorage.removeItem(KEY);
    else if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(KEY, '1');
    setDenied(Notification.permission === 'denied');
    setOn(isOn());
  };
  return { isOn: on, isDenied, toggle: isKnown() ? () => void toggle() : null };
}
