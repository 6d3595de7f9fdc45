import type { Content, ContentBlock } from '../message/content.js';
import { userMessage } from '../message/factory.js';
import { REMINDER_CLOSE, REMINDER_OPEN, STOPPED_BY_HOOK } from '../message/wire-texts.js';
import { contextAttachments, readerNotices } from '../hooks/hook-messages.js';
import { verdictOf } from '../hooks/verdict.js';
import type { Failure, SessionSettings } from '../session/events.js';
import { promptMessage, rewritten } from './construct.js';
import type { Attachment } from '../message/attachment.js';
import type { Draft } from '../message/draft.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { Submission } from '../message/submission.js';

/** What became of the images and documents of a prompt. */
export interface FittedFiles {
  /** As the model is to see them. */
  readonly blocks: readonly ContentBlock[];
  /** What the model is told of each image, one line each. */
  readonly notes: readonly string[];
  /** Why one of them, and with it the prompt, cannot be sent. */
  readonly refused: Failure | null;
}

/** A prompt when all its stages but the hooks are behind it. */
export interface GatheredPrompt {
  readonly submission: Submission;
  readonly settings: Pick<SessionSettings, 'permissionMode'>;
  readonly content: Content;
  readonly files: FittedFiles;
  readonly attachments: readonly Attachment[];
  /** What stands in place of a message of its own. */
  readonly expanded: readonly Draft[] | null;
  readonly callsModel: boolean;
}

export interface Prepared {
  readonly messages: readonly Draft[];
  /** Whether the model is asked. */
  readonly callsModel: boolean;
  /** Why the prompt cannot be sent. */
  readonly failure?: Failure;
}

interface Place {
  readonly at: string;
  readonly uuid: () => string;
}

/**
 * Puts a prompt, its attachments and what the hooks said into messages. What SessionStart hooks have to say stands in front and stays, whatever becomes of
 * the prompt: they are not asked again. `uuid` makes a fresh id at each call.
 */
export function preparePrompt(prompt: GatheredPrompt, hookRuns: readonly HookRun[], place: Place): Prepared {
  const { at: timestamp, uuid } = place;
  const verdict = verdictOf(hookRuns);
  const attached = (attachments: readonly Attachment[]): readonly Draft[] =>
    attachments.map((attachment) => ({ type: 'attachment', uuid: uuid(), timestamp, attachment }));
  const atStart = (run: HookRun): boolean => run.event === 'SessionStart';
  const before = attached(contextAttachments(hookRuns.filter(atStart)));
  const notices = readerNotices(hookRuns, place);
  if (prompt.files.refused !== null) return refusedPrompt(prompt, prompt.files.refused, [...before, ...notices], place);
  if (verdict.blocked !== null) {
    const content = `A hook kept this prompt from being sent: ${verdict.blocked}`;
    return {
      messages: [...before, ...notices, { type: 'system', uuid: uuid(), timestamp, subtype: 'hook_blocked', level: 'warning', content }],
      callsModel: false,
    };
  }
  const own = [...before, ...ownMessages(prompt, verdict.updatedPrompt, place)];
  if (verdict.prevented !== null)
    return { messages: [...own, ...notices, userMessage({ uuid: uuid(), timestamp, content: STOPPED_BY_HOOK })], callsModel: false };
  const added = contextAttachments(hookRuns.filter((run) => !atStart(run)));
  return { messages: [...own, ...attached([...prompt.attachments, ...added]), ...notices], callsModel: prompt.callsModel };
}

/** What a command expanded to is not the prompt that a hook was shown, so there is nothing it could stand in for. It holds the files that came with it. */
function ownMessages(
  { submission, settings, content, files, expanded, callsModel }: GatheredPrompt,
  updated: string | null,
  { at, uuid }: Place,
): readonly Draft[] {
  const notes: readonly Draft[] =
    callsModel && files.notes.length > 0
      ? [userMessage({ uuid: uuid(), timestamp: at, content: `${REMINDER_OPEN}\n${files.notes.join('\n')}\n${REMINDER_CLOSE}`, isMeta: true })]
      : [];
  if (expanded) {
    const unused = 'A hook wrote this prompt anew; commands are carried out as they were typed.';
    const own = [...expanded, ...notes];
    return updated === null ? own : [...own, { type: 'system', uuid: uuid(), timestamp: at, subtype: 'informational', level: 'warning', content: unused }];
  }
  const message = promptMessage({ ...submission, value: content }, settings.permissionMode, at, files.blocks);
  return [updated === null ? message : rewritten(message, updated), ...notes];
}

/** Readers keep what was said, and learn why it went nowhere. The model never sees it: a question about a picture that is not there would lead it astray. */
function refusedPrompt({ submission, settings }: GatheredPrompt, failure: Failure, before: readonly Draft[], { at: timestamp, uuid }: Place): Prepared {
  const typed: Draft = { ...promptMessage(submission, settings.permissionMode, timestamp), isVirtual: true };
  const notice: Draft = { type: 'system', uuid: uuid(), timestamp, subtype: failure.code, level: 'error', content: failure.message };
  return { messages: [...before, typed, notice], callsModel: false, failure };
}
