import {
  blocksOf,
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  isBlobSource,
  type ToolResultBlock,
} from '../../../../packages/protocol/message/content.js';
import { textOfInput } from '../../../../packages/protocol/message/written-input.js';
import { preview } from '../reader-text.js';
import { fenced, folded, inLine, markdown, quoted } from './texts.js';

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

/** The block of an answer or a prompt, as parts between blank lines. */
export function blockParts(block: ContentBlock, isModel: boolean, options: BlockOptions): readonly string[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [isModel ? markdown(block.text) : quoted(block.text)];
    case 'thinking':
      return options.thinking && block.thinking !== '' ? [folded('Thinking', quoted(block.thinking))] : [];
    case 'redacted_thinking':
      return options.thinking ? ['*Thinking, encrypted by the provider.*'] : [];
    case 'image':
    case 'document':
      return [fileLine(block, options.fileNames)];
    case 'tool_use':
      return [call(block, options)];
    case 'tool_result':
      return options.results.has(block.tool_use_id) ? [] : [folded('Result of a tool', resultParts(block, options).join('\n\n'))];
    default:
      return [folded(String((block as { readonly type: unknown }).type), fenced(JSON.stringify(block, null, 2), 'json'))];
  }
}

function call(block: Extract<ContentBlock, { type: 'tool_use' }>, options: BlockOptions): string {
  const result = options.results.get(block.id);
  const state = result === undefined ? ' (no result)' : result.is_error === true ? ' (failed)' : '';
  const input = fenced(inputText(block.input), 'json');
  const parts = result === undefined ? [] : [result.is_error === true ? 'Error:' : 'Result:', ...resultParts(result, options)];
  return folded(`Tool: ${block.name} ${brief(block.input)}${state}`, ['Input:', input, ...parts].join('\n\n'));
}

function resultParts({ content }: ToolResultBlock, options: BlockOptions): readonly string[] {
  const blocks = blocksOf(content);
  if (blocks.length === 0) return ['*(no output)*'];
  return blocks.flatMap((block) => (block.type === 'text' ? [fenced(block.text)] : blockParts(block, false, options)));
}

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

function fileLine(block: ImageBlock | DocumentBlock, names: BlockOptions['fileNames']): string {
  const { source } = block;
  const kind = block.type === 'image' ? 'Image' : 'File';
  const title = 'title' in block ? block.title : null;
  if (!isBlobSource(source)) return `${kind}: ${inLine(title ?? ('url' in source ? source.url : source.type))}`;
  const { media_type, bytes, width, height, pages, sha256, original } = source;
  const name = title ?? names.get(sha256) ?? (original && names.get(original.sha256));
  const facts = [
    media_type,
    ...(width === undefined || height === undefined ? [] : [`${width} × ${height} pixels`]),
    ...(pages === undefined ? [] : [`${pages} ${pages === 1 ? 'page' : 'pages'}`]),
    `${bytes} bytes`,
  ].join(', ');
  return name === undefined ? `${kind}: ${inLine(facts)}` : `${kind}: ${inLine(name)} (${inLine(facts)})`;
}
