import { blocksOf, type Content, type ContentBlock, textOf } from '../../../packages/protocol/message/content.js';
import type { PermissionMode, SystemMessage, UserMessage } from '../../../packages/protocol/message/message.js';
import { userMessage, type Draft } from '../../../packages/protocol/message/draft.js';
import { filesOf, pasteIds } from './files/prompt-files.js';
import { shellInput } from './shell.js';
import type { Submission } from '../../../packages/protocol/message/submission.js';

/** The message of a submission that was not processed further: the prompt, or the command of bash mode. */
export function openingMessage(submission: Submission, permissionMode: PermissionMode, timestamp: string): Draft<UserMessage> | Draft<SystemMessage> {
  return submission.mode === 'bash' ? shellInput(submission, timestamp) : promptMessage(submission, permissionMode, timestamp);
}

/** The user message of a prompt. Files of an array input keep their place, pasted images follow. `files`: the resized ones, in the order of `filesOf`. */
export function promptMessage(submission: Submission, permissionMode: PermissionMode, timestamp: string, files?: readonly ContentBlock[]): Draft<UserMessage> {
  const sent = filesOf(submission);
  const pastes = pasteIds(submission);
  return userMessage({
    uuid: submission.uuid,
    timestamp,
    content: withFiles(submission, files ?? sent.map(({ block }) => block)),
    permissionMode,
    ...(submission.origin === undefined || submission.origin === null ? {} : { origin: submission.origin }),
    ...(submission.isMeta ? { isMeta: true } : {}),
    ...(pastes.length === 0 ? {} : { imagePasteIds: pastes }),
  });
}

function withFiles({ original, value }: Pick<Submission, 'original' | 'value'>, files: readonly ContentBlock[]): Content {
  if (files.length === 0) return value;
  const texts = blocksOf(value);
  const places = typeof original === 'string' ? [] : original.map(({ type }) => type === 'text');
  // A text that is not that of the input has no places in it.
  if (places.filter((isText) => isText).length !== texts.length) return [...texts, ...files];
  let text = 0;
  let file = 0;
  const placed = places.flatMap((isText) => (isText ? texts[text++] : files[file++]) ?? []);
  return [...placed, ...files.slice(file)];
}

/** The message with its text replaced; images and files keep their position relative to the first text. */
export function rewritten(message: Draft<UserMessage>, text: string): Draft<UserMessage> {
  return { ...message, content: withText(message.content, text), rewrittenFrom: textOf(message.content) };
}

function withText(content: Content, text: string): Content {
  if (typeof content === 'string') return text;
  const first = content.findIndex((block) => block.type === 'text');
  const kept = content.filter((block, index) => block.type !== 'text' || index === first);
  return first < 0 ? [{ type: 'text', text }, ...kept] : kept.map((block) => (block === content[first] ? { type: 'text', text } : block));
}
