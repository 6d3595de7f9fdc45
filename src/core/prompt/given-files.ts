import { type Fault, DomainError } from '../errors.js';
import { blocksOf, type BlobSource, type Content, type ContentBlock, isBlobSource } from '../message/content.js';
import { isBlank, isObject, loose } from '../message/unknown-json.js';
import type { FileLimits } from '../media/inspect-file.js';
import { namedImages } from './paste-references.js';
import type { StoredPastedImage, PastedContent, Submission } from '../message/submission.js';

/** An image or a document whose bytes come with a prompt, or are kept already. */
export interface GivenFile {
  readonly kind: 'image' | 'document';
  /** Where in the request it stands, as a JSON pointer. */
  readonly pointer: string;
  /** Its block in the input, or the number it was pasted under. */
  readonly place: { readonly block: number } | { readonly paste: string };
  readonly bytes: { readonly base64: string } | { readonly sha256: string };
}

interface Given {
  readonly input: Content;
  readonly pastedContents?: Readonly<Record<string, PastedContent>>;
}

/**
 * The files of a prompt, those in the input first, then the pasted ones that its text still names. Refuses blocks that no prompt can hold, sources that nobody
 * could send, and too many files.
 */
export function filesIn({ input, pastedContents = {} }: Given, limits: FileLimits): readonly GivenFile[] {
  const inline = typeof input === 'string' ? [] : input.flatMap((block, index) => inlineFile(block, index) ?? []);
  const pasted = namedImages(typedText(input), pastedContents).map((number): GivenFile => {
    const base64 = pastedContents[number]?.content ?? '';
    return { kind: 'image', pointer: `/pastedContents/${number}/content`, place: { paste: number }, bytes: { base64 } };
  });
  const files = [...inline, ...pasted];
  refuseTooMany(files, 'image', limits.maxImages);
  refuseTooMany(files, 'document', limits.maxDocuments);
  return files;
}

/** What was typed, all text blocks of it. */
export function typedText(input: Content): string {
  return typeof input === 'string' ? input : input.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** Null: the block holds text, or names a file that the model API gets for itself. */
function inlineFile(block: ContentBlock, index: number): GivenFile | null {
  if (block.type === 'text') return null;
  if (block.type !== 'image' && block.type !== 'document') {
    throw unsupported(`/input/${index}`, `is a block of type ${JSON.stringify(block.type)}; a prompt holds text, images and documents`);
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
    `is not what the source of an ${kind === 'image' ? 'image' : 'attached document'} can be; base64 with its data always is`,
  );
}

const isTexts = (content: unknown): boolean =>
  !isBlank(content) ||
  (Array.isArray(content) && content.length > 0 && content.every((block) => isObject(block) && block['type'] === 'text' && !isBlank(block['text'])));

function unsupported(pointer: string, text: string): DomainError {
  return new DomainError('unsupported_input', 'The prompt holds something that cannot be sent.', [{ pointer, text }]);
}

function refuseTooMany(files: readonly GivenFile[], kind: GivenFile['kind'], most: number): void {
  const over = files.filter((file) => file.kind === kind)[most];
  if (over) throw fileRefusal(kind, [{ pointer: over.pointer, text: `is one too many; a prompt holds ${most} at most` }]);
}

/** One fault per file that will not do; the code is that of the first. */
export function fileRefusal(kind: GivenFile['kind'], faults: readonly Fault[]): DomainError {
  return new DomainError(`${kind}_rejected`, 'A file of the prompt cannot be used, so nothing was sent; each fault says which and why.', faults);
}

/** The submission with its files under the names of their bytes. */
export function withKeptFiles(submission: Submission, { input, pastedContents = {} }: Given, kept: ReadonlyMap<GivenFile, BlobSource>): Submission {
  if (kept.size === 0) return submission;
  const sources = new Map<number, BlobSource>();
  const images: Record<string, StoredPastedImage> = {};
  for (const [{ place }, source] of kept) {
    if ('block' in place) sources.set(place.block, source);
    else images[place.paste] = keptImage(pastedContents[place.paste], source);
  }
  const original =
    sources.size === 0
      ? input
      : blocksOf(input).map((block, index) => (sources.has(index) ? ({ ...block, source: sources.get(index) } as ContentBlock) : block));
  return { ...submission, original, ...(Object.keys(images).length === 0 ? {} : { pastedContents: { ...submission.pastedContents, ...images } }) };
}

function keptImage({ filename, sourcePath }: Partial<PastedContent> = {}, source: BlobSource): StoredPastedImage {
  return { type: 'image', source, ...(filename === undefined ? {} : { filename }), ...(sourcePath === undefined ? {} : { sourcePath }) };
}
