import { useCallback, useState } from 'react';
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
  /** `blocked`: the browser does not allow them; `none`: it has none. */
  readonly state: 'on' | 'off' | 'blocked' | 'none';
  /** Turns them on or off. The browser asks the person once. */
  readonly toggle: () => void;
  /** Settings of the browser may have changed. */
  readonly refresh: () => void;
}

function stateNow(): Notifications['state'] {
  if (!isKnown()) return 'none';
  if (Notification.permission === 'denied') return 'blocked';
  return isOn() ? 'on' : 'off';
}

export function useNotifications(): Notifications {
  const [state, setState] = useState(stateNow);
  const refresh = useCallback(() => setState(stateNow()), []);
  const toggle = async (): Promise<void> => {
    if (isOn()) localStorage.removeItem(KEY);
    else if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(KEY, '1');
    refresh();
  };
  return { state, toggle: () => void toggle(), refresh };
}
