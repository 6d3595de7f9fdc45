import type { Content } from '../message/content.js';
import { userMessage } from '../message/factory.js';
import { STOPPED_BY_HOOK } from '../message/wire-texts.js';
import { contextAttachments, readerNotices } from '../hooks/told.js';
import { verdictOf } from '../hooks/verdict.js';
import type { Attachment } from '../ports.js';
import type { Draft } from '../session/commands.js';
import type { HookRun, SessionSettings } from '../session/events.js';
import { promptMessage, rewritten } from './construct.js';
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

/**
 * Puts a prompt, its attachments and what the hooks said into messages. What SessionStart hooks have to say stands in front and stays, whatever becomes of
 * the prompt: they are not asked again. `uuid` makes a fresh id at each call.
 */
export function preparePrompt(prompt: GatheredPrompt, hookRuns: readonly HookRun[], place: { readonly at: string; readonly uuid: () => string }): Prepared {
  const { at: timestamp, uuid } = place;
  const verdict = verdictOf(hookRuns);
  const attached = (attachments: readonly Attachment[]): readonly Draft[] => attachments.map((attachment) => ({ type: 'attachment', uuid: uuid(), timestamp, attachment }));
  const atStart = (run: HookRun): boolean => run.event === 'SessionStart';
  const before = attached(contextAttachments(hookRuns.filter(atStart)));
  const notices = readerNotices(hookRuns, place);
  if (verdict.blocked !== null) {
    const content = `A hook kept this prompt from being sent: ${verdict.blocked}`;
    return { messages: [...before, ...notices, { type: 'system', uuid: uuid(), timestamp, subtype: 'hook_blocked', level: 'warning', content }], query: false };
  }
  const own = [...before, ...ownMessages(prompt, verdict.updatedPrompt, place)];
  if (verdict.prevented !== null) return { messages: [...own, ...notices, userMessage({ uuid: uuid(), timestamp, content: STOPPED_BY_HOOK })], query: false };
  const added = contextAttachments(hookRuns.filter((run) => !atStart(run)));
  return { messages: [...own, ...attached([...prompt.attachments, ...added]), ...notices], query: prompt.query };
}

/** What a command expanded to is not the prompt that a hook was shown, so there is nothing it could stand in for. */
function ownMessages({ submission, settings, content, expanded }: GatheredPrompt, updated: string | null, { at, uuid }: { readonly at: string; readonly uuid: () => string }): readonly Draft[] {
  if (expanded) {
    const unused = 'A hook wrote this prompt anew; commands are carried out as they were typed.';
    return updated === null ? expanded : [...expanded, { type: 'system', uuid: uuid(), timestamp: at, subtype: 'informational', level: 'warning', content: unused }];
  }
  const message = promptMessage({ ...submission, value: content }, settings.permissionMode, at);
  return [updated === null ? message : rewritten(message, updated)];
}
