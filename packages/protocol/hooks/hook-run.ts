import type { ObjectOf } from '../shape/shape.js';
import { choice, integer, json, jsonObject, key, number, object, text, uuid } from '../shape/shapes.js';

export const hookRun = {
  hookRunId: uuid,
  event: key.about('The hook event, such as `UserPromptSubmit`.'),
  hook: object({ type: key, command: text.optional(), url: text.optional(), matcher: text.optional() }),
  input: json,
  outcome: choice('success', 'blocked', 'prevented', 'non_blocking_error', 'timeout'),
  exitCode: integer.nullable(),
  httpStatus: integer.optional('Of an `http` hook that answered.'),
  durationMs: number,
  stdout: text.about('Standard output, or the body of the HTTP answer; bounded.'),
  stderr: text,
  reason: text.optional('Its reason for blocking, stopping or deciding.'),
  additionalContext: text.optional(),
  systemMessage: text.optional('Message for the user.'),
  decision: choice('allow', 'deny', 'ask').optional('Its permission decision about a tool call.'),
  updatedInput: jsonObject.optional('Replaces the input of the tool call.'),
  updatedPrompt: text.optional('Replaces the text of the prompt for the model; the original stays in the log.'),
};
export type HookRun = ObjectOf<typeof hookRun>;
export type HookOutcome = HookRun['outcome'];
