import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client';
import type { ContentBlock, ImageBlock, Json, TextBlock } from '../../../packages/protocol/message/content.js';
import type { ToolOutcome } from '../../ports/index.js';
import { cut } from '../../../packages/protocol/message/text.js';
import { parseExact } from '../../../packages/protocol/message/exact-json.js';
import { isDeeperThan } from '../../../packages/protocol/message/json.js';
import { writtenContent } from './written-content.js';

/** Every later reader of the log walks a structured result. */
export const MAX_JSON_DEPTH = 100;

type Part = CallToolResult['content'][number];

/** A server's result as a tool outcome: text and images of bounded length for the model, structured content for local code. */
export function outcomeOf(result: CallToolResult, maxCharacters: number): ToolOutcome {
  const written = writtenContent(result);
  const structured = written === null ? result.structuredContent : parseExact(written);
  // The depth comes first: JSON.stringify descends. White space of the server does not count.
  const compact = structured === undefined || isDeeperThan(structured, MAX_JSON_DEPTH) ? null : JSON.stringify(structured);
  const usable = compact !== null && compact.length <= maxCharacters;
  const blocks = bounded(result.content.map(blockOf), maxCharacters);
  const hasText = blocks.some((block) => block.type === 'text' && block.text.trim() !== '');
  // A server may send structured content without text.
  const shown = hasText || !usable ? blocks : [text(written === null || written.length > maxCharacters ? compact : written), ...blocks];
  return { content: contentOf(shown), isError: result.isError === true, ...(usable ? { toolUseResult: structured as Json } : {}) };
}

/** What a resource holds, as text of at most `most` characters; contents of other types are named in their place. */
export function resourceText(contents: ReadResourceResult['contents'], most: number): string {
  const parts = contents.map((part) =>
    'text' in part ? part.text : `[Content of type ${part.mimeType ?? 'unknown'}, which cannot be attached as text, is left out]`,
  );
  const [block] = bounded([text(parts.join('\n'))], most);
  return block?.type === 'text' ? block.text : '';
}

/** The outcome of a call that was not carried out. */
export const failure = (text: string): ToolOutcome => ({ content: text, isError: true });

function contentOf(blocks: readonly (TextBlock | ImageBlock)[]): ToolOutcome['content'] {
  const visible: readonly ContentBlock[] = blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  const [first] = visible;
  if (first === undefined) return 'The tool returned no content.';
  return visible.length === 1 && first.type === 'text' ? first.text : visible;
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
      const about = [part.title ?? part.name, part.description].filter((part) => part !== undefined && part !== '').join(': ');
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
      return text('[Content of an unknown type is left out]');
  }
}

const text = (content: string): TextBlock => ({ type: 'text', text: content });

const image = (mediaType: string, data: string): ImageBlock => ({ type: 'image', source: { type: 'base64', media_type: mediaType, data } });

/** At most `most` characters of text: the block at the limit is cut, later ones are left out. Images are kept. */
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
