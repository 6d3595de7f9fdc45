import { z } from 'zod';
import type { Json } from '../../core/message/content.js';
import type { HookEvent } from '../../core/ports.js';
import { cut } from './output-buffer.js';
import type { Output } from './run-command.js';
import type { HookRun } from '../../core/hooks/hook-run.js';

/** What a hook said about its event. */
export type HookAnswer = Pick<HookRun, 'outcome' | 'reason' | 'additionalContext' | 'systemMessage' | 'decision' | 'updatedInput' | 'updatedPrompt'>;

const jsonObject = z.custom<{ readonly [key: string]: Json }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/** The JSON that a hook may print (public hooks reference, "JSON output"). Members that concern other events are let through. */
const answer = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: z.string().optional(),
  decision: z.enum(['block', 'approve']).optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z.string().optional(),
      additionalContext: z.string().optional(),
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: jsonObject.optional(),
      /** Ours, beyond the reference. */
      updatedPrompt: z
        .string()
        .refine((text) => text.trim() !== '', 'must not be blank')
        .optional(),
    })
    .optional(),
});

type Answer = z.infer<typeof answer>;

const KNOWN: ReadonlySet<string> = new Set(Object.keys(answer.shape));

/** Deeper JSON than this is nobody's answer, and would have to be walked by everybody who reads the log. */
const MOST_DEPTH = 200;

const NO_REASON = 'The hook gave no reason.';

/** Events at which a hook has a say in what happens next. The others are told, and asked nothing. */
const CAN_BLOCK: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'PreCompact']);

/** What plain text means, instead of JSON: context for the model, or nothing. */
export type PlainText = 'context' | 'ignored';

/** Reads what a hook that ended well has said. `limit`: the longest context and reason, in characters. */
export function readAnswer(event: HookEvent, { text, length }: Output, plainText: PlainText, limit: number): HookAnswer {
  const isWhole = text.length === length;
  if (!text.trimStart().startsWith('{')) {
    const plain = isWhole ? text.trimEnd() : text;
    if (plain.trim() === '' || plainText === 'ignored') return { outcome: 'success' };
    return { outcome: 'success', additionalContext: cut(plain, limit, isWhole ? plain.length : length) };
  }
  if (!isWhole) return unreadable(`it is too long (${length} characters)`);
  if (depthOf(text) > MOST_DEPTH) return unreadable(`it is nested deeper than ${MOST_DEPTH} levels`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return unreadable('it begins like JSON, but is not: half of it may be missing, or something follows it');
  }
  const read = answer.safeParse(json);
  if (!read.success)
    return unreadable(
      read.error.issues
        .slice(0, 5)
        .map((issue) => `${issue.path.join('.')}: ${issue.message}`)
        .join('; '),
    );
  const names = Object.keys(read.data);
  if (names.length > 0 && !names.some((name) => KNOWN.has(name))) return unreadable(`none of its members is known (${names.slice(0, 5).join(', ')})`);
  const spokenFor = read.data.hookSpecificOutput?.hookEventName;
  if (spokenFor !== undefined && spokenFor !== event) return unreadable(`hookSpecificOutput.hookEventName is ${spokenFor}, but the event is ${event}`);
  return cutTexts({ ...judge(event, read.data), ...said(event, read.data) }, limit);
}

/** What a hook said that ended with exit code 2: its standard error is the reason. */
export function blockedBy(event: HookEvent, stderr: string, limit: number): HookAnswer {
  const said = stderr.trim();
  if (!CAN_BLOCK.has(event)) return { outcome: 'non_blocking_error', reason: cut(said === '' ? `A hook cannot block ${event}.` : said, limit) };
  return cutTexts(blocked(event, said === '' ? NO_REASON : said), limit);
}

function judge(event: HookEvent, data: Answer): HookAnswer {
  const { hookSpecificOutput: specific, reason } = data;
  if (data.continue === false) return { outcome: 'prevented', reason: data.stopReason ?? reason ?? NO_REASON };
  if (event === 'PreToolUse') {
    const decision = specific?.permissionDecision ?? ({ block: 'deny', approve: 'allow' } as const)[data.decision as 'block'];
    const why = specific?.permissionDecisionReason ?? reason;
    if (decision === 'deny') return blocked(event, why ?? NO_REASON);
    // Deferred is asked: the call waits until somebody decides, which is what the hook is after.
    if (decision !== undefined) return { outcome: 'success', decision: decision === 'defer' ? 'ask' : decision, ...(why ? { reason: why } : {}) };
  } else if (data.decision === 'block' && CAN_BLOCK.has(event)) {
    return blocked(event, reason ?? NO_REASON);
  }
  return { outcome: 'success', ...(reason ? { reason } : {}) };
}

const blocked = (event: HookEvent, reason: string): HookAnswer => ({
  outcome: 'blocked',
  reason,
  ...(event === 'PreToolUse' ? { decision: 'deny' as const } : {}),
});

function said(event: HookEvent, { hookSpecificOutput: specific, systemMessage }: Answer): Partial<HookAnswer> {
  return {
    ...(specific?.additionalContext ? { additionalContext: specific.additionalContext } : {}),
    ...(systemMessage ? { systemMessage } : {}),
    ...(event === 'PreToolUse' && specific?.updatedInput ? { updatedInput: specific.updatedInput } : {}),
    ...(event === 'UserPromptSubmit' && specific?.updatedPrompt ? { updatedPrompt: specific.updatedPrompt } : {}),
  };
}

function cutTexts(said: HookAnswer, limit: number): HookAnswer {
  const { reason, additionalContext, systemMessage } = said;
  return {
    ...said,
    ...(reason === undefined ? {} : { reason: cut(reason, limit) }),
    ...(additionalContext === undefined ? {} : { additionalContext: cut(additionalContext, limit) }),
    ...(systemMessage === undefined ? {} : { systemMessage: cut(systemMessage, limit) }),
  };
}

/** How many levels of brackets are open at most, those in texts apart. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inText) {
      if (character === '\\') at += 1;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

const unreadable = (why: string): HookAnswer => ({ outcome: 'non_blocking_error', reason: `The hook's answer cannot be read: ${why}.` });
