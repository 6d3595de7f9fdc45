import type { Progress } from '@modelcontextprotocol/client';
import type { Json } from '../../../packages/protocol/message/content.js';
import { cut } from '../../../packages/protocol/message/text.js';

/** Between two reports, in milliseconds. */
const INTERVAL_MS = 100;

const MAX_MESSAGE_CHARACTERS = 1_000;

/** Forwards progress at a limited rate. A dropped report is superseded by a later one or by the result. */
export function progressReport(onProgress: (data: Json) => void): (progress: Progress) => void {
  let last = -Infinity;
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (now - last < INTERVAL_MS) return;
    last = now;
    onProgress({
      type: 'mcp',
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message: cut(message, MAX_MESSAGE_CHARACTERS) }),
    });
  };
}
