import { type FieldError, DomainError } from '../../../../packages/protocol/errors.js';
import { blocksOf, type BlobSource, type Content, type ContentBlock, isBlobSource } from '../../../../packages/protocol/message/content.js';
import { isBlank, isObject, loose } from '../../../../packages/protocol/message/unknown-json.js';
import type { FileLimits } from './inspect-file.js';
import { namedImages } from '../paste-references.js';
import type { StoredPastedImage, PastedContent, Submission } from '../../../../packages/protocol/message/submission.js';

/** An image or a document of a request: with its bytes, or a reference to bytes that the session already has. */
export interface GivenFile {
  readonly kind: 'image' | 'document';
  /** Its position in the request body, as a JSON pointer. */
  readonly pointer: string;
  /** Index of its block in the input, or the number of its paste. */
  readonly place: { readonly block: number } | { readonly paste: string };
  readonly bytes: { readonly base64: string } | { readonly sha256: string };
}

interface Given {
  readonly input: Content;
  readonly pastedContents?: Readonly<Record<string, PastedContent | StoredPastedImage>>;
}

/**
 * The files of a prompt: those in the input, then the pasted images that its text refers to. Rejects blocks and sources that a prompt cannot have, and too many
 * files.
 */
export function givenFiles({ input, pastedContents = {} }: Given, limits: FileLimits): readonly GivenFile[] {
  const inline = typeof input === 'string' ? [] : input.flatMap((block, index) => inlineFile(block, index) ?? []);
  const pasted = namedImages(typedText(input), pastedContents).map((number): GivenFile => {
    const pasted = pastedContents[number];
    const file = { kind: 'image', place: { paste: number } } as const;
    return pasted && 'source' in pasted
      ? { ...file, pointer: `/pastedContents/${number}/source`, bytes: { sha256: pasted.source.sha256 } }
      : { ...file, pointer: `/pastedContents/${number}/content`, bytes: { base64: pasted?.content ?? '' } };
  });
  const files = [...inline, ...pasted];
  limitCount(files, 'image', limits.maxImages);
  limitCount(files, 'document', limits.maxDocuments);
  return files;
}

/** The typed text of all text blocks. */
export function typedText(input: Content): string {
  return typeof input === 'string' ? input : input.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** Null: the block is text, or a file that the model API fetches or holds itself. */
function inlineFile(block: ContentBlock, index: number): GivenFile | null {
  if (block.type === 'text') return null;
  if (block.type !== 'image' && block.type !== 'document') {
    throw unsupported(`/input/${index}`, `is a block of type ${JSON.stringify(block.type)}; a prompt can have text, images and documents`);
  }
  const { type: kind } = block;
  const source = loose(block.source);
  const file = { kind, place: { block: index } };
  switch (source['type']) {
    case 'base64':
      if (typeof source['data'] === 'string') return { ...file, pointer: `/input/${index}/source/data`, bytes: { base64: source['data'] } };
      break;
    case 'blob':
      if (isBlobSource(source)) return { ...file, pointer: `/input/${index}/source`, bytes: { sha256: source.sha256 } };
      break;
    case 'url':
      if (typeof source['url'] === 'string' && /^https?:\/\//.test(source['url'])) return null;
      break;
    case 'file':
      if (!isBlank(source['file_id'])) return null;
      break;
    case 'text':
      if (kind === 'document' && !isBlank(source['data'])) return null;
      break;
    case 'content':
      if (kind === 'document' && isTexts(source['content'])) return null;
      break;
    default:
  }
  throw unsupported(
    `/input/${index}/source`,
    `is not a valid source of ${kind === 'image' ? 'an image' : 'a document'}; send { type: "base64", media_type, data }`,
  );
}

const isTexts = (content: unknown): boolean =>
  !isBlank(content) ||
  (Array.isArray(content) && content.length > 0 && content.every((block) => isObject(block) && block['type'] === 'text' && !isBlank(block['text'])));

function unsupported(pointer: string, text: string): DomainError {
  return new DomainError('unsupported_input', 'The prompt contains a block that cannot be sent.', [{ pointer, text }]);
}

function limitCount(files: readonly GivenFile[], kind: GivenFile['kind'], most: number): void {
  const over = files.filter((file) => file.kind === kind)[most];
  if (over) throw filesRejected(kind, [{ pointer: over.pointer, text: `exceeds the limit of ${most} ${kind}s per prompt` }]);
}

/** The rejection of a prompt for its files, one fault per file; the code is that of the first. */
export function filesRejected(kind: GivenFile['kind'], faults: readonly FieldError[]): DomainError {
  return new DomainError(`${kind}_rejected`, 'The prompt was not accepted because of its files; each fault names one and the reason.', faults);
}

/** The submission with its files as references to stored bytes. */
export function withStoredFiles(submission: Submission, { input, pastedContents = {} }: Given, stored: ReadonlyMap<GivenFile, BlobSource>): Submission {
  if (stored.size === 0) return submission;
  const sources = new Map<number, BlobSource>();
  const images: Record<string, StoredPastedImage> = {};
  for (const [{ place }, source] of stored) {
    if ('block' in place) sources.set(place.block, source);
    else images[place.paste] = storedImage(pastedContents[place.paste], source);
  }
  const original =
    sources.size === 0
      ? input
      : blocksOf(input).map((block, index) => (sources.has(index) ? ({ ...block, source: sources.get(index) } as ContentBlock) : block));
  return { ...submission, original, ...(Object.keys(images).length === 0 ? {} : { pastedContents: { ...submission.pastedContents, ...images } }) };
}

function storedImage({ filename, sourcePath }: Partial<PastedContent> = {}, source: BlobSource): StoredPastedImage {
  return { type: 'image', source, ...(filename === undefined ? {} : { filename }), ...(sourcePath === undefined ? {} : { sourcePath }) };
}
