import { z } from 'zod';
import type { HookOutcome } from '../../core/session/events.js';
import { cut } from './capture.js';
import type { Output } from './run-command.js';

/** What a hook said about its event. */
export interface HookAnswer {
  readonly outcome: HookOutcome;
  readonly reason?: string;
  readonly additionalContext?: string;
  readonly systemMessage?: string;
}

/** The JSON that a hook may print (public hooks reference, "JSON output"). Members that concern other events are let through. */
const answer = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: z.string().optional(),
  decision: z.enum(['block', 'approve']).optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z.looseObject({ hookEventName: z.string().optional(), additionalContext: z.string().optional() }).optional(),
});

const KNOWN: ReadonlySet<string> = new Set(Object.keys(answer.shape));

/** Events whose hooks may speak to the model by printing plain text. */
const PLAIN_TEXT_IS_CONTEXT: ReadonlySet<string> = new Set(['UserPromptSubmit', 'SessionStart']);

/** Reads what a hook that ended well has printed. `limit`: the longest context, in characters. */
export function readAnswer(event: string, { text, length }: Output, limit: number): HookAnswer {
  const isWhole = text.length === length;
  if (!text.trimStart().startsWith('{')) {
    const plain = isWhole ? text.trimEnd() : text;
    if (plain.trim() === '' || !PLAIN_TEXT_IS_CONTEXT.has(event)) return { outcome: 'success' };
    return { outcome: 'success', additionalContext: cut(plain, limit, isWhole ? plain.length : length) };
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return unreadable(isWhole ? 'it begins like JSON, but is not: half of it may be missing, or something follows it' : `it is too long (${length} characters)`);
  }
  const read = answer.safeParse(json);
  if (!read.success) return unreadable(read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
  const { data } = read;
  const names = Object.keys(data);
  if (names.length > 0 && !names.some((name) => KNOWN.has(name))) return unreadable(`none of its members is known (${names.slice(0, 5).join(', ')})`);
  const spokenFor = data.hookSpecificOutput?.hookEventName;
  if (spokenFor !== undefined && spokenFor !== event) return unreadable(`hookSpecificOutput.hookEventName is ${spokenFor}, but the event is ${event}`);

  const additionalContext = data.hookSpecificOutput?.additionalContext;
  const said = {
    ...(additionalContext ? { additionalContext: cut(additionalContext, limit) } : {}),
    ...(data.systemMessage ? { systemMessage: data.systemMessage } : {}),
  };
  if (data.continue === false) return { outcome: 'prevented', reason: data.stopReason ?? data.reason ?? 'The hook gave no reason.', ...said };
  if (data.decision === 'block') return { outcome: 'blocked', reason: data.reason ?? 'The hook gave no reason.', ...said };
  return { outcome: 'success', ...(data.reason ? { reason: data.reason } : {}), ...said };
}

const unreadable = (why: string): HookAnswer => ({ outcome: 'non_blocking_error', reason: `The hook's answer cannot be read: ${why}.` });
