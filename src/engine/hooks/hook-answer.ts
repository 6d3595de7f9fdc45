import { z } from 'zod';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { HookEvent } from '../../../packages/protocol/hooks/hook-events.js';
import { parseExact } from '../../../packages/protocol/message/exact-json.js';
import { isDeeperThan } from '../../../packages/protocol/message/json.js';
import { cutOutput } from './cut-output.js';
import type { Output } from '../../platform/child-process/run-command.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';

/** What a hook decided about its event. */
export type HookAnswer = Pick<HookRun, 'outcome' | 'reason' | 'additionalContext' | 'systemMessage' | 'decision' | 'updatedInput' | 'updatedPrompt'>;

const jsonObject = z.custom<{ readonly [key: string]: Json }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/** The JSON that a hook may print (public hooks reference, "JSON output"). Unknown members are ignored beside known ones. */
const answer = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: z.string().optional(),
  decision: z.enum(['block', 'approve']).optional(),
  reason: z.string().optional(),
  /** The short form; the reference has it in `hookSpecificOutput`, which wins. */
  additionalContext: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z.string().optional(),
      additionalContext: z.string().optional(),
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: jsonObject.optional(),
      /** An extension of the reference. */
      updatedPrompt: z
        .string()
        .refine((text) => text.trim() !== '', 'must not be blank')
        .optional(),
    })
    .optional(),
});

type Answer = z.infer<typeof answer>;

const KNOWN: ReadonlySet<string> = new Set(Object.keys(answer.shape));

/** Every later reader of the log walks the answer. */
const MAX_DEPTH = 200;

const NO_REASON = 'The hook gave no reason.';

/** Events whose hooks may block what happens next. */
const CAN_BLOCK: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'PreCompact']);

/** What an answer that is not JSON means: context for the model, or nothing. */
export type PlainText = 'context' | 'ignored';

/** Reads the answer of a hook that succeeded. `limit`: the longest context and reason, in characters. */
export function readAnswer(event: HookEvent, { text, length }: Output, plainText: PlainText, limit: number): HookAnswer {
  const isWhole = text.length === length;
  if (!text.trimStart().startsWith('{')) {
    const plain = isWhole ? text.trimEnd() : text;
    if (plain.trim() === '' || plainText === 'ignored') return { outcome: 'success' };
    return { outcome: 'success', additionalContext: cutOutput(plain, limit, isWhole ? plain.length : length) };
  }
  if (!isWhole) return unreadable(`it is too long (${length} characters)`);
  let json: unknown;
  try {
    json = parseExact(text);
  } catch {
    return unreadable('it begins like JSON but is not valid JSON; it may be incomplete, or text may follow it');
  }
  if (isDeeperThan(json, MAX_DEPTH)) return unreadable(`it is nested deeper than ${MAX_DEPTH} levels`);
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
  const answered = read.data.hookSpecificOutput?.hookEventName;
  if (answered !== undefined && answered !== event) return unreadable(`hookSpecificOutput.hookEventName is ${answered}, but the event is ${event}`);
  return cutTexts({ ...decisionOf(event, read.data), ...additionsOf(event, read.data) }, limit);
}

/** The answer of a hook that ended with exit code 2: its standard error is the reason. */
export function blockedBy(event: HookEvent, stderr: string, limit: number): HookAnswer {
  const reason = stderr.trim();
  if (!CAN_BLOCK.has(event)) return { outcome: 'non_blocking_error', reason: cutOutput(reason === '' ? `A hook cannot block ${event}.` : reason, limit) };
  return cutTexts(blocked(event, reason === '' ? NO_REASON : reason), limit);
}

function decisionOf(event: HookEvent, data: Answer): HookAnswer {
  const { hookSpecificOutput: specific, reason } = data;
  if (data.continue === false) return { outcome: 'prevented', reason: data.stopReason ?? reason ?? NO_REASON };
  if (event === 'PreToolUse') {
    const decision = specific?.permissionDecision ?? ({ block: 'deny', approve: 'allow' } as const)[data.decision as 'block'];
    const why = specific?.permissionDecisionReason ?? reason;
    if (decision === 'deny') return blocked(event, why ?? NO_REASON);
    // A deferred call waits for a person's decision, as with `ask`.
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

function additionsOf(event: HookEvent, { hookSpecificOutput: specific, additionalContext, systemMessage }: Answer): Partial<HookAnswer> {
  const context = specific?.additionalContext ?? additionalContext;
  return {
    ...(context ? { additionalContext: context } : {}),
    ...(systemMessage ? { systemMessage } : {}),
    ...(event === 'PreToolUse' && specific?.updatedInput ? { updatedInput: specific.updatedInput } : {}),
    ...(event === 'UserPromptSubmit' && specific?.updatedPrompt ? { updatedPrompt: specific.updatedPrompt } : {}),
  };
}

function cutTexts(answer: HookAnswer, limit: number): HookAnswer {
  const { reason, additionalContext, systemMessage } = answer;
  return {
    ...answer,
    ...(reason === undefined ? {} : { reason: cutOutput(reason, limit) }),
    ...(additionalContext === undefined ? {} : { additionalContext: cutOutput(additionalContext, limit) }),
    ...(systemMessage === undefined ? {} : { systemMessage: cutOutput(systemMessage, limit) }),
  };
}

const unreadable = (why: string): HookAnswer => ({ outcome: 'non_blocking_error', reason: `The hook's answer cannot be read: ${why}.` });
