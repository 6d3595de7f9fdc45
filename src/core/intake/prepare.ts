import type { Content } from '../message/content.js';
import { userMessage } from '../message/factory.js';
import { STOPPED_BY_HOOK } from '../message/wire-texts.js';
import { verdictOf } from '../hooks/verdict.js';
import type { Attachment } from '../ports.js';
import type { Draft } from '../session/commands.js';
import type { HookRun, SessionSettings } from '../session/events.js';
import { promptMessage } from './construct.js';
import type { Submission } from './submission.js';

/** A prompt when all its stages but the hooks are behind it. */
export interface GatheredPrompt {
  readonly submission: Submission;
  readonly settings: Pick<SessionSettings, 'permissionMode'>;
  readonly content: Content;
  readonly attachments: readonly Attachment[];
  /** What stands in place of a message of its own. */
  readonly expanded: readonly Draft[] | null;
  readonly query: boolean;
}

export interface Prepared {
  readonly messages: readonly Draft[];
  /** Whether the model is asked. */
  readonly query: boolean;
}

/** Puts a prompt, its attachments and what the hooks said into messages. `uuid` makes a fresh id at each call. */
export function preparePrompt(prompt: GatheredPrompt, hookRuns: readonly HookRun[], place: { readonly at: string; readonly uuid: () => string }): Prepared {
  const { at: timestamp, uuid } = place;
  const verdict = verdictOf(hookRuns);
  if (verdict.blocked !== null) {
    const content = `A hook kept this prompt from being sent: ${verdict.blocked}`;
    return { messages: [{ type: 'system', uuid: uuid(), timestamp, subtype: 'hook_blocked', level: 'warning', content }], query: false };
  }
  const own = prompt.expanded ?? [promptMessage({ ...prompt.submission, value: prompt.content }, prompt.settings.permissionMode, timestamp)];
  if (verdict.prevented !== null) return { messages: [...own, userMessage({ uuid: uuid(), timestamp, content: STOPPED_BY_HOOK })], query: false };
  const attached = (attachment: Attachment): Draft => ({ type: 'attachment', uuid: uuid(), timestamp, attachment });
  const added = hookRuns.flatMap(({ event, additionalContext }) =>
    additionalContext === undefined ? [] : [{ type: 'hook_additional_context', hookName: event, hookEvent: event, content: [additionalContext] }],
  );
  return { messages: [...own, ...prompt.attachments.map(attached), ...added.map(attached)], query: prompt.query };
}
