import type { Progress } from '@modelcontextprotocol/client';
import type { Json } from '../../core/message/content.js';
import { cut } from '../../core/message/text.js';

/** Whoever watches cannot follow more. */
const EVERY_MS = 100;

const LONGEST_MESSAGE = 1_000;

/** Passes progress on, but no faster than it can be watched. What is left out is followed by something newer, or by the end. */
export function progressReport(onProgress: (data: Json) => void): (progress: Progress) => void {
  let last = -Infinity;
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (now - last < EVERY_MS) return;
    last = now;
    onProgress({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message: cut(message, LONGEST_MESSAGE) }) });
  };
}
