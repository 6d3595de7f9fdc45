import { Refusal } from '../errors.js';
import { blocksOf, type Content, type ContentBlock } from '../message/content.js';
import { expandPastedTexts, namedImages } from './paste-references.js';
import type { Submission } from './submission.js';

/** What a client sends: a submission without what is made of it here. */
export interface ClientSubmission extends Omit<Submission, 'value' | 'original' | 'promptId' | 'turnId' | 'uuid' | 'route' | 'traceparent'> {
  readonly input: Content;
}

/**
 * Turns what a client sent into the canonical submission. Refuses empty input, what exceeds `maxCharacters`, and content this server cannot process;
 * nothing behind this point validates a prompt again.
 */
export function acceptSubmission(
  given: ClientSubmission,
  ids: Pick<Submission, 'promptId' | 'turnId' | 'uuid' | 'traceparent'>,
  limits: { readonly maxCharacters: number },
): Submission {
  const { input, ...rest } = given;
  const pasted = given.pastedContents ?? {};
  blocksOf(input).forEach((block, index) => refuseUnlessText(block, `/input/${index}`));
  const typed = typeof input === 'string' ? input : blocksOf(input).map(textOfBlock).join('\n');
  for (const number of namedImages(typed, pasted)) {
    throw new Refusal('unsupported_input', 'This server does not take images yet; send the prompt without them.', [
      { pointer: `/pastedContents/${number}`, text: 'is an image' },
    ]);
  }
  const value =
    typeof input === 'string'
      ? expandPastedTexts(input.trim(), pasted)
      : input.map((block) => (block.type === 'text' ? { ...block, text: expandPastedTexts(block.text, pasted) } : block));
  if (blocksOf(value).every((block) => textOfBlock(block).trim() === '')) {
    throw new Refusal('empty_input', 'The prompt is empty; send some text.', [{ pointer: '/input', text: 'holds no text' }]);
  }
  const characters = blocksOf(value).reduce((sum, block) => sum + textOfBlock(block).length, 0);
  if (characters > limits.maxCharacters) {
    throw new Refusal('payload_too_large', `The prompt has ${characters} characters with its pasted texts; the limit is ${limits.maxCharacters}.`, [
      { pointer: '/input', text: 'is too long' },
    ]);
  }
  return { ...rest, ...ids, original: input, value };
}

function textOfBlock(block: ContentBlock): string {
  return block.type === 'text' ? block.text : '';
}

function refuseUnlessText(block: ContentBlock, pointer: string): void {
  if (block.type === 'text') return;
  throw new Refusal('unsupported_input', 'This server takes text in prompts; images and documents are not supported yet.', [
    { pointer, text: `is a block of type ${JSON.stringify(block.type)}` },
  ]);
}
