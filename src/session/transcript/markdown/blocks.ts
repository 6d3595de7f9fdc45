import type { ContentBlock, ToolResultBlock } from '../../../../packages/protocol/message/content.js';
import { isObject, loose, type UnknownObject } from '../../../../packages/protocol/message/unknown-json.js';
import { textOfInput } from '../../../../packages/protocol/message/written-input.js';
import { preview } from '../reader-text.js';
import { fileLine } from './files.js';
import { fenced, folded, markdown, quoted } from './texts.js';

export interface BlockOptions {
  /** Thinking of the model is included. */
  readonly thinking: boolean;
  /** Results of tool calls, by the id of the call. */
  readonly results: ReadonlyMap<string, ToolResultBlock>;
  /** Of pasted files, by SHA-256 of what is stored. */
  readonly fileNames: ReadonlyMap<string, string>;
}

/** Characters of a call's input by which a reader recognises it. */
const BRIEF_CHARACTERS = 100;

/** The block of an answer or a prompt, as parts between blank lines. Clients and files bring blocks of any shape: one without what its type has is shown as JSON. */
export function blockParts(block: ContentBlock, isModel: boolean, options: BlockOptions): readonly string[] {
  const members = loose(block);
  return knownParts(members, isModel, options) ?? [folded(textIn(members['type']) ?? 'Block', json(block))];
}

/** Null when members are missing or of other types. */
function knownParts(block: UnknownObject, isModel: boolean, options: BlockOptions): readonly string[] | null {
  switch (block['type']) {
    case 'text': {
      const text = textIn(block['text']);
      return text === null ? null : text.trim() === '' ? [] : [isModel ? markdown(text) : quoted(text)];
    }
    case 'thinking': {
      const thinking = textIn(block['thinking']);
      return thinking === null ? null : options.thinking && thinking !== '' ? [folded('Thinking', quoted(thinking))] : [];
    }
    case 'redacted_thinking':
      return options.thinking ? ['*Thinking, encrypted by the provider.*'] : [];
    case 'image':
    case 'document':
      return listOf(fileLine(block, options.fileNames));
    case 'tool_use':
      return listOf(call(block, options));
    case 'tool_result': {
      if (options.results.has(String(textIn(block['tool_use_id'])))) return [];
      const parts = resultParts(block['content'], options);
      return parts && [folded('Result of a tool', parts.join('\n\n'))];
    }
    default:
      return null;
  }
}

const listOf = (part: string | null): readonly string[] | null => (part === null ? null : [part]);

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function call({ id, name, input }: UnknownObject, options: BlockOptions): string | null {
  if (typeof name !== 'string' || input === undefined) return null;
  const result = options.results.get(String(textIn(id)));
  const isFailed = result?.is_error === true;
  const state = result === undefined ? ' (no result)' : isFailed ? ' (failed)' : '';
  const parts = result === undefined ? [] : [isFailed ? 'Error:' : 'Result:', ...(resultParts(result.content, options) ?? [json(result)])];
  return folded(`Tool: ${name} ${brief(input)}${state}`, ['Input:', fenced(inputText(input), 'json'), ...parts].join('\n\n'));
}

/** Null when it is no content. */
function resultParts(content: unknown, options: BlockOptions): readonly string[] | null {
  if (content === undefined || content === null || content === '' || (Array.isArray(content) && content.length === 0)) return ['*(no output)*'];
  if (typeof content === 'string') return [fenced(content)];
  if (!Array.isArray(content)) return null;
  return content.flatMap((block: unknown) => {
    const text = isObject(block) && block['type'] === 'text' ? textIn(block['text']) : null;
    return text === null ? blockParts(block as ContentBlock, false, options) : [fenced(text)];
  });
}

const json = (value: unknown): string => fenced(JSON.stringify(value, null, 2), 'json');

/** Laid out, unless the model wrote what a parsed value loses. */
function inputText(input: unknown): string {
  const written = textOfInput(input);
  return written === JSON.stringify(input) ? JSON.stringify(input, null, 2) : written;
}

/** The first text of an input. */
function brief(input: unknown): string {
  const values: readonly unknown[] = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  const first = values.find((value) => typeof value === 'string' && value !== '');
  return typeof first === 'string' ? preview(first, BRIEF_CHARACTERS) : '';
}
