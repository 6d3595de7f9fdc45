import { DomainError } from '../../../packages/protocol/errors.js';
import { blocksOf, type Content } from '../../../packages/protocol/message/content.js';
import { typedText } from './files/given-files.js';
import { expandedLength, expandPastedTexts, namedImages } from './paste-references.js';
import type { PastedContent, PastedText, StoredPastedImage, Submission } from '../../../packages/protocol/message/submission.js';

/** A submission as a client sends it. */
export interface ClientSubmission extends Omit<Submission, 'value' | 'original' | 'pastedContents' | 'promptId' | 'turnId' | 'uuid' | 'route' | 'traceparent'> {
  readonly input: Content;
  readonly pastedContents?: Pasted;
}

type Pasted = Readonly<Record<string, PastedContent | StoredPastedImage>>;

/**
 * Validates a client's submission and converts it to the canonical one, except for its files (`withStoredFiles`). Rejects empty input, and more than `maxCharacters`
 * characters with pasted texts. Later stages do not validate a prompt again.
 */
export function acceptSubmission(
  given: ClientSubmission,
  ids: Pick<Submission, 'promptId' | 'turnId' | 'uuid' | 'traceparent'>,
  limits: { readonly maxCharacters: number },
): Submission {
  const { input, pastedContents, ...rest } = given;
  const pasted = pastedContents ?? {};
  const files = blocksOf(input).some(({ type }) => type !== 'text') || namedImages(typedText(input), pasted).length > 0;
  if (files && rest.mode === 'bash') {
    throw new DomainError('unsupported_input', 'A shell command cannot have files; send it without them.', [
      { pointer: '/mode', text: 'is bash, but the prompt has files' },
    ]);
  }
  const texts = typeof input === 'string' ? [input.trim()] : input.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const characters = texts.reduce((sum, text) => sum + expandedLength(text, pasted), 0);
  if (characters > limits.maxCharacters) {
    throw new DomainError('payload_too_large', `The prompt has ${characters} characters with its pasted texts; the limit is ${limits.maxCharacters}.`, [
      { pointer: '/input', text: 'is too long' },
    ]);
  }
  const value =
    typeof input === 'string'
      ? expandPastedTexts(input.trim(), pasted)
      : input.flatMap((block) => (block.type === 'text' ? [{ ...block, text: expandPastedTexts(block.text, pasted) }] : []));
  if (!files && typedText(value).trim() === '') {
    throw new DomainError('empty_input', 'The prompt is empty; send text or an image.', [{ pointer: '/input', text: 'has no text' }]);
  }
  const pastedTexts = textsIn(pasted);
  return { ...rest, ...(pastedTexts === null ? {} : { pastedContents: pastedTexts }), ...ids, original: input, value };
}

/** A stored submission in the form in which a client can send it again; its files reference stored bytes. */
export function resubmission({
  original,
  mode,
  pastedContents,
  attachments,
  skipSlashCommands,
  bridgeOrigin,
  origin,
  isMeta,
  modelOptions,
  timeZone,
}: Submission): ClientSubmission {
  return {
    input: original,
    mode,
    ...(pastedContents === undefined ? {} : { pastedContents }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(skipSlashCommands === undefined ? {} : { skipSlashCommands }),
    ...(bridgeOrigin === undefined ? {} : { bridgeOrigin }),
    ...(origin === undefined ? {} : { origin }),
    ...(isMeta === undefined ? {} : { isMeta }),
    ...(modelOptions === undefined ? {} : { modelOptions }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}

function textsIn(pasted: Pasted): Readonly<Record<string, PastedText>> | null {
  const texts = Object.entries(pasted).filter((entry): entry is [string, PastedText] => entry[1].type === 'text');
  return texts.length === 0 ? null : Object.fromEntries(texts);
}
