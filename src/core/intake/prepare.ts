import type { Content, ContentBlock } from '../message/content.js';
import { userMessage } from '../message/factory.js';
import { REMINDER_CLOSE, REMINDER_OPEN, STOPPED_BY_HOOK } from '../message/wire-texts.js';
import { verdictOf } from '../hooks/verdict.js';
import type { Attachment } from '../ports.js';
import type { Draft } from '../session/commands.js';
import type { Failure, HookRun, SessionSettings } from '../session/events.js';
import { promptMessage } from './construct.js';
import type { Submission } from './submission.js';

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
  readonly query: boolean;
}

export interface Prepared {
  readonly messages: readonly Draft[];
  /** Whether the model is asked. */
  readonly query: boolean;
  /** Why the prompt cannot be sent. */
  readonly failure?: Failure;
}

/** Puts a prompt, its attachments and what the hooks said into messages. `uuid` makes a fresh id at each call. */
export function preparePrompt(prompt: GatheredPrompt, hookRuns: readonly HookRun[], place: { readonly at: string; readonly uuid: () => string }): Prepared {
  const { at: timestamp, uuid } = place;
  const { submission, files } = prompt;
  const { permissionMode } = prompt.settings;
  if (files.refused !== null) return refusedPrompt(prompt, files.refused, place);
  const verdict = verdictOf(hookRuns);
  if (verdict.blocked !== null) {
    const content = `A hook kept this prompt from being sent: ${verdict.blocked}`;
    return { messages: [{ type: 'system', uuid: uuid(), timestamp, subtype: 'hook_blocked', level: 'warning', content }], query: false };
  }
  const own = prompt.expanded
    ? [...prompt.expanded, ...(files.blocks.length === 0 ? [] : [userMessage({ uuid: uuid(), timestamp, content: files.blocks, isMeta: true })])]
    : [promptMessage({ ...submission, value: prompt.content }, permissionMode, timestamp, files.blocks)];
  if (files.notes.length > 0) {
    const content = `${REMINDER_OPEN}\n${files.notes.join('\n')}\n${REMINDER_CLOSE}`;
    own.push(userMessage({ uuid: uuid(), timestamp, content, isMeta: true }));
  }
  if (verdict.prevented !== null) return { messages: [...own, userMessage({ uuid: uuid(), timestamp, content: STOPPED_BY_HOOK })], query: false };
  const attached = (attachment: Attachment): Draft => ({ type: 'attachment', uuid: uuid(), timestamp, attachment });
  const added = hookRuns.flatMap(({ event, additionalContext }) =>
    additionalContext === undefined ? [] : [{ type: 'hook_additional_context', hookName: event, hookEvent: event, content: [additionalContext] }],
  );
  return { messages: [...own, ...prompt.attachments.map(attached), ...added.map(attached)], query: prompt.query };
}

/** Readers keep what was said, and learn why it went nowhere. The model never sees it: a question about a picture that is not there would lead it astray. */
function refusedPrompt({ submission, settings }: GatheredPrompt, failure: Failure, { at: timestamp, uuid }: { readonly at: string; readonly uuid: () => string }): Prepared {
  const typed: Draft = { ...promptMessage(submission, settings.permissionMode, timestamp), isVirtual: true };
  const notice: Draft = { type: 'system', uuid: uuid(), timestamp, subtype: failure.code, level: 'error', content: failure.message };
  return { messages: [typed, notice], query: false, failure };
}
