import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ContentBlock, ImageBlock, Json, TextBlock } from '../../core/message/content.js';
import type { ToolOutcome } from '../../core/ports.js';
import { checkRequest } from '../../core/api-rules/index.js';
import { DEFAULT_MODEL, profileFor } from '../../core/models/profiles.js';
import { isShallow } from './json-depth.js';
import { cut } from '../../core/message/text.js';

const PROFILE = profileFor(DEFAULT_MODEL);

type Part = CallToolResult['content'][number];

/** What a server's answer comes to: for the model, text and pictures of bounded length; for local code, what the server gave in a structure of its own. */
export function outcomeOf(result: CallToolResult, maxCharacters: number): ToolOutcome {
  const structured = result.structuredContent;
  const usable = structured !== undefined && isShallow(structured) && JSON.stringify(structured).length <= maxCharacters;
  const blocks = bounded(result.content.map(blockOf), maxCharacters);
  const hasText = blocks.some((block) => block.type === 'text' && block.text.trim() !== '');
  // A server may leave the text to whoever reads its structure.
  const shown = hasText || !usable ? blocks : [{ type: 'text' as const, text: JSON.stringify(structured) }, ...blocks];
  return { content: contentOf(shown), isError: result.isError === true, ...(usable ? { toolUseResult: structured as Json } : {}) };
}

/** What a call that came to nothing is told as. */
export const failure = (text: string): ToolOutcome => ({ content: text, isError: true });

function contentOf(blocks: readonly (TextBlock | ImageBlock)[]): ToolOutcome['content'] {
  const told: readonly ContentBlock[] = blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  const [first] = told;
  if (first === undefined) return 'The tool has ended and said nothing.';
  return told.length === 1 && first.type === 'text' ? first.text : told;
}

function blockOf(part: Part): TextBlock | ImageBlock {
  switch (part.type) {
    case 'text':
      return text(part.text);
    case 'image':
      return image(part.mimeType, part.data);
    case 'audio':
      return text(`[Audio of type ${part.mimeType}, which cannot be shown to the model, is left out]`);
    case 'resource_link': {
      const about = [part.title ?? part.name, part.description].filter((told) => told !== undefined && told !== '').join(': ');
      return text(`[Resource ${part.uri}${part.mimeType === undefined ? '' : ` of type ${part.mimeType}`}: ${about}]`);
    }
    case 'resource': {
      const { resource } = part;
      if ('text' in resource) return text(`[Resource ${resource.uri}]\n${resource.text}`);
      const type = resource.mimeType ?? 'an unknown type';
      return type.startsWith('image/')
        ? image(type, resource.blob)
        : text(`[Resource ${resource.uri} of type ${type}, which cannot be shown to the model, is left out]`);
    }
    default:
      return text('[A part of the answer of a kind that is not known here is left out]');
  }
}

const text = (content: string): TextBlock => ({ type: 'text', text: content });

/** A picture the model API would refuse would take the whole conversation with it. */
function image(mediaType: string, data: string): TextBlock | ImageBlock {
  const block: ImageBlock = { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
  const [refused] = checkRequest({ model: DEFAULT_MODEL, max_tokens: 1, messages: [{ role: 'user', content: [block] }] }, PROFILE);
  return refused ? text(`[An image of type ${mediaType.slice(0, 100)} is left out: ${refused.text.slice(0, 300)}]`) : block;
}

/** Texts up to `most` characters in all, the one at the limit cut, those behind it left out; pictures stay. */
function bounded(blocks: readonly (TextBlock | ImageBlock)[], most: number): readonly (TextBlock | ImageBlock)[] {
  const total = blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (total <= most) return blocks;
  let left = most;
  return blocks.flatMap((block): readonly (TextBlock | ImageBlock)[] => {
    if (block.type !== 'text') return [block];
    if (left <= 0) return [];
    const kept = cut(block.text, left);
    left -= block.text.length;
    return [left > 0 ? block : text(`${kept}\n[The answer is cut here: it has ${total} characters, and ${most} are kept]`)];
  });
}
