import { blocksOf, type ContentBlock, isBlobSource, type ToolResultBlock } from '../../../../packages/protocol/message/content.js';
import { resubmissionAt } from '../../prompt/resubmission.js';
import type { SessionState } from '../../state/state.js';
import { preview, readerText } from '../reader-text.js';
import { readTranscript, type TranscriptMessage } from '../transcript.js';
import { blockParts, type BlockOptions } from './blocks.js';
import { fenced, folded, inLine, quoted } from './texts.js';

export interface MarkdownOptions {
  /** Thinking of the model is included. */
  readonly thinking: boolean;
  /** Names of people by the id of the user. */
  readonly names: ReadonlyMap<string, string>;
}

const TITLE_CHARACTERS = 100;

/** The current branch as readers see it, as Markdown: message by message, each with who wrote it. The state is read at once, as it may change later. */
export function markdownOf(state: SessionState, { thinking, names }: MarkdownOptions): Iterable<string> {
  const messages = readTranscript(state);
  const options = { thinking, results: resultsOf(messages), fileNames: fileNamesOf(state, messages) };
  const first = messages.map(readerText).find((text) => text !== null) ?? null;
  const title = state.settings.title ?? (first === null ? 'Conversation' : preview(first, TITLE_CHARACTERS));
  return parts();

  function* parts(): Generator<string> {
    yield `# ${inLine(title)}\n`;
    let last = '';
    for (const message of messages) {
      const content = message.erased ? ['*The content of this message was erased.*'] : messageParts(message, options);
      if (content.length === 0) continue;
      const author = authorIn(message, names);
      if (author !== last) yield `\n## ${author}\n\n*${timeOf(message)}*\n`;
      last = author;
      for (const part of content) yield `\n${part}\n`;
    }
  }
}

function messageParts(message: TranscriptMessage, options: BlockOptions): readonly string[] {
  switch (message.type) {
    case 'assistant':
      return blocks(message.message.content, true, options);
    case 'user':
      if (message.isInterruption) return ['*Interrupted here.*'];
      if (message.isCompactSummary) return [folded('Summary of the conversation so far', blocks(blocksOf(message.content), false, options).join('\n\n'))];
      return blocks(blocksOf(message.content), false, options);
    case 'system':
      return typeof message.content !== 'string' || message.content === '' ? [] : [notice(message.content)];
    case 'attachment':
      return [`Context: ${inLine(attachmentName(message.attachment))}`];
    case 'tool_use_summary':
      return typeof message.summary === 'string' ? [quoted(message.summary)] : [];
    default:
      return [];
  }
}

const blocks = (content: readonly ContentBlock[], isModel: boolean, options: BlockOptions): readonly string[] =>
  content.flatMap((block) => blockParts(block, isModel, options));

/** Commands of the shell and their output are in tags. */
function notice(content: string): string {
  const [, tag, inner] = /^<([\w-]+)>([\s\S]*)<\/\1>$/.exec(content) ?? [];
  return tag === undefined || inner === undefined ? quoted(content) : fenced(tag === 'bash-input' ? `$ ${inner}` : inner);
}

function attachmentName(attachment: Readonly<Record<string, unknown>>): string {
  const name = ['filename', 'path', 'uri', 'name'].map((member) => attachment[member]).find((value) => typeof value === 'string' && value !== '');
  return [attachment['type'], name].filter((part) => typeof part === 'string').join(' ');
}

function authorIn(message: TranscriptMessage, names: ReadonlyMap<string, string>): string {
  const { kind, id = '' } = message.by;
  if (kind === 'model') return typeof id === 'string' ? `Assistant: ${inLine(id)}` : 'Assistant';
  if (kind === 'system') return 'Server';
  const name = names.get(id) ?? (message.type === 'user' ? message.speaker : undefined);
  return typeof name === 'string' ? `User: ${inLine(name)}` : 'User';
}

const timeOf = ({ timestamp }: TranscriptMessage): string => inLine(timestamp.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC'));

/** Of the calls in `messages`: they are shown with their call. */
function resultsOf(messages: readonly TranscriptMessage[]): ReadonlyMap<string, ToolResultBlock> {
  const calls = new Set(
    messages.flatMap((message) =>
      message.type === 'assistant' ? message.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])) : [],
    ),
  );
  const results = messages.flatMap((message) => (message.type === 'user' ? blocksOf(message.content) : [])).filter((block) => block.type === 'tool_result');
  return new Map(results.flatMap((block) => (calls.has(block.tool_use_id) ? [[block.tool_use_id, block] as const] : [])));
}

/** Of the images that were pasted into prompts. */
function fileNamesOf(state: SessionState, messages: readonly TranscriptMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.type !== 'user' || message.imagePasteIds === undefined) continue;
    const pasted = Object.values(resubmissionAt(state, message.uuid)?.pastedContents ?? {});
    for (const one of pasted) if ('source' in one && isBlobSource(one.source) && one.filename !== undefined) names.set(one.source.sha256, one.filename);
  }
  return names;
}
