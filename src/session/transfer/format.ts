import type { ImportSource } from '../../../packages/protocol/events/events.js';
import { isObject } from '../../../packages/protocol/message/unknown-json.js';
import { ClaudeFilePlanner } from './claude-file.js';
import { VerbatimFilePlanner } from './verbatim-file.js';
import type { Planner, ImportOptions } from './plan.js';
import { isSessionLine } from './session-line.js';

/** The format that a line identifies; null when it fits several. Verbatim files start with a session line and have a prompt's content on the line itself. */
export function sourceOf(value: unknown): ImportSource | null {
  if (!isObject(value)) return null;
  const isUser = value['type'] === 'user';
  if (isSessionLine(value) || (isUser && value['message'] === undefined && value['content'] !== undefined)) return 'verbatim';
  if (value['sessionId'] !== undefined || value['isSidechain'] !== undefined || isUser) return 'claude-code';
  return null;
}

export function plannerFor(source: ImportSource, options: ImportOptions): Planner {
  return source === 'verbatim' ? new VerbatimFilePlanner(options) : new ClaudeFilePlanner(options);
}
