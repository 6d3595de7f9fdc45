import { blocksOf, type Content, type ContentBlock } from '../../../packages/protocol/message/content.js';
import { userMessage, type Draft } from '../../../packages/protocol/message/draft.js';
import { reminder } from '../../../packages/protocol/message/wire-texts.js';
import { contextAttachments, readerNotices, stopMessages } from '../../../packages/protocol/hooks/hook-messages.js';
import { verdictOf } from '../../../packages/protocol/hooks/verdict.js';
import type { Failure, SessionSettings } from '../../../packages/protocol/events/events.js';
import { promptMessage, rewritten } from './construct.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';
import type { Submission } from '../../../packages/protocol/message/submission.js';

/** Images and documents of a prompt after resizing. */
export interface FittedFiles {
  /** As sent to the model. */
  readonly blocks: readonly ContentBlock[];
  /** One line about each image for the model; `block` is the one in `blocks`. */
  readonly notes: readonly { readonly text: string; readonly block: ContentBlock }[];
  /** Why the prompt cannot be sent with them. */
  readonly rejected: Failure | null;
}

/** A prompt after all stages except the hooks. */
export interface GatheredPrompt {
  readonly submission: Submission;
  readonly settings: Pick<SessionSettings, 'permissionMode'>;
  readonly content: Content;
  readonly files: FittedFiles;
  readonly attachments: readonly Attachment[];
  /** Messages of a command in place of the prompt's own; null for a prompt. */
  readonly expanded: readonly Draft[] | null;
  readonly callsModel: boolean;
}

export interface Prepared {
  readonly messages: readonly Draft[];
  /** Whether a model request follows. */
  readonly callsModel: boolean;
  /** Why the prompt cannot be sent. */
  readonly failure?: Failure;
}

interface Place {
  readonly at: string;
  readonly uuid: () => string;
}

/**
 * The messages of a prompt, its attachments and its hooks. Context of SessionStart hooks comes first and is kept even if the prompt is blocked, because these hooks
 * do not run again. `uuid` returns a fresh id at each call.
 */
export function preparePrompt(prompt: GatheredPrompt, hookRuns: readonly HookRun[], place: Place): Prepared {
  const { at: timestamp, uuid } = place;
  const verdict = verdictOf(hookRuns);
  const attached = (attachments: readonly Attachment[]): readonly Draft[] =>
    attachments.map((attachment) => ({ type: 'attachment', uuid: uuid(), timestamp, attachment }));
  const atStart = (run: HookRun): boolean => run.event === 'SessionStart';
  const before = attached(contextAttachments(hookRuns.filter(atStart)));
  const notices = readerNotices(hookRuns, place);
  if (prompt.files.rejected !== null) return rejectedPrompt(prompt, prompt.files.rejected, [...before, ...notices], place);
  if (verdict.blocked !== null) {
    const content = `A hook blocked this prompt: ${verdict.blocked}`;
    const notice: Draft = { type: 'system', uuid: uuid(), timestamp, subtype: 'hook_blocked', level: 'warning', content };
    return { messages: [...before, typedPrompt(prompt, timestamp), ...notices, notice], callsModel: false };
  }
  const own = [...before, ...ownMessages(prompt, verdict.updatedPrompt, place)];
  const added = contextAttachments(hookRuns.filter((run) => !atStart(run)));
  const messages = [...own, ...attached([...prompt.attachments, ...added]), ...notices];
  if (verdict.prevented !== null) return { messages: [...messages, ...stopMessages(verdict.prevented, place)], callsModel: false };
  return { messages, callsModel: prompt.callsModel };
}

/** The prompt's own messages. A hook's `updatedPrompt` does not apply to commands: their expansion is not the text that the hook received. */
function ownMessages(
  { submission, settings, content, files, expanded, callsModel }: GatheredPrompt,
  updated: string | null,
  { at, uuid }: Place,
): readonly Draft[] {
  const withNotes = (own: readonly Draft[]): readonly Draft[] => (callsModel ? [...own, ...imageNotes(files, own, { at, uuid })] : own);
  if (expanded) {
    const unused = 'A hook replaced the text of this prompt. The replacement was ignored because commands run as typed.';
    const own = withNotes(expanded);
    return updated === null ? own : [...own, { type: 'system', uuid: uuid(), timestamp: at, subtype: 'informational', level: 'warning', content: unused }];
  }
  const message = promptMessage({ ...submission, value: content }, settings.permissionMode, at, files.blocks);
  return withNotes([updated === null ? message : rewritten(message, updated)]);
}

/** A message for the model only: a block with one line for each image, linked to the image's block, so that it is left out with it. */
function imageNotes({ notes }: FittedFiles, own: readonly Draft[], { at, uuid }: Place): readonly Draft[] {
  const blocks = own.flatMap((message) =>
    message.type === 'user' ? blocksOf(message.content).map((block, index) => ({ block, uuid: message.uuid, index })) : [],
  );
  const placed = notes.flatMap(({ text, block }) => {
    const place = blocks.find((one) => one.block === block);
    return place ? [{ text, describes: { uuid: place.uuid, index: place.index } }] : [];
  });
  if (placed.length === 0) return [];
  const content = placed.map(({ text }) => ({ type: 'text' as const, text: reminder(text) }));
  return [userMessage({ uuid: uuid(), timestamp: at, content, isMeta: true, describes: placed.map(({ describes }) => describes) })];
}

/** The prompt and the reason, for readers only: the model must not read a question about a file that is missing. */
function rejectedPrompt(prompt: GatheredPrompt, failure: Failure, before: readonly Draft[], { at: timestamp, uuid }: Place): Prepared {
  const notice: Draft = { type: 'system', uuid: uuid(), timestamp, subtype: failure.code, level: 'error', content: failure.message };
  return { messages: [...before, typedPrompt(prompt, timestamp), notice], callsModel: false, failure };
}

/** What was submitted, for readers only. */
function typedPrompt({ submission, settings }: GatheredPrompt, timestamp: string): Draft {
  return { ...promptMessage(submission, settings.permissionMode, timestamp), isVirtual: true };
}
