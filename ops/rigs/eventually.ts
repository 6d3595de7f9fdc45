import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../test/support/until.js';

/** What is asked more often takes the time of those who are to answer. */
const PAUSE_MS = 200;

/** As `until`, for what programs beside the server are asked. */
export function eventually(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  return until(what, async () => {
    if (await holds()) return true;
    await pause(PAUSE_MS);
    return false;
  });
}
