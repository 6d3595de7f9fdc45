import type { ContentBlock, Json } from '../../protocol/message/content.js';
import { isObject, loose } from '../../protocol/message/unknown-json.js';
import { cut } from '../../protocol/message/text.js';
import { wellFormedJson } from '../../protocol/message/exact-json.js';
import { inputOf, noteText, textOfInput } from '../../protocol/message/written-input.js';
import { perMessage, type Pass } from '../pass.js';
import { NAMELESS_TOOL } from '../placeholders.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * `tool_use.input: Input should be an object`: answers cut off inside a call, and other providers, leave text, null or nothing. Text that is a JSON object is
 * parsed; any other value is kept under `raw`. `tool_use.name: String should have at most 200 characters`, and at least one.
 */
export const normalizeToolInputs: Pass = {
  name: 'normalize-tool-inputs',
  reason: 'the input of a call must be an object, its name 1 to 200 characters without surrounding white space',
  ...perMessage(clean),
};

const MAX_NAME_LENGTH = 200;

function clean(message: WorkingMessage): WorkingMessage {
  return message.kind === 'assistant' ? withBlocks(message, mapped(message.blocks, normalized, null)) : message;
}

function normalized(before: WorkingBlock): WorkingBlock {
  const { block } = before;
  if (block.type !== 'tool_use' && (block.type as string) !== 'server_tool_use') return before;
  const { input, name } = loose(block);
  const sent = objectOf(input);
  const called = nameOf(name);
  return sent === input && called === name ? before : changed(before, { ...block, name: called, input: sent } as ContentBlock);
}

function nameOf(name: unknown): string {
  const trimmed = typeof name === 'string' ? name.trim() : '';
  if (trimmed === '') return NAMELESS_TOOL;
  return cut(trimmed, MAX_NAME_LENGTH).trimEnd();
}

function objectOf(input: unknown): unknown {
  if (isObject(input)) return input;
  if (typeof input === 'string') return fromText(input);
  const isNothing = input === undefined || input === null || (Array.isArray(input) && input.length === 0);
  if (isNothing) return {};
  const kept = { raw: input as Json };
  noteText(kept, `{"raw":${textOfInput(input)}}`);
  return kept;
}

/** Escapes in the text may stand for lone surrogates, which `well-formed-text` has not seen. */
function fromText(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    const parsed = inputOf(wellFormedJson(text));
    return isObject(parsed) ? parsed : { raw: text };
  } catch {
    return { raw: text };
  }
}
