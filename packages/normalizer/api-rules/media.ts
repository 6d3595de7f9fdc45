import type { Profile } from '../models/profiles.js';
import type { Resolution } from '../models/profile-terms.js';
import { base64Bytes } from '../media/base64.js';
import type { ImageHeader } from '../media/image-header.js';
import { fittingSize } from '../media/image-size.js';
import { usablePdf } from '../media/usable-pdf.js';
import { wholeImage } from '../media/whole-image.js';
import { standIn, type Report } from './problem.js';
import { blocksOf, isObject, textOf, type JsonObject, type ParsedBlock, type ParsedRequest, type Stage } from './parsed-request.js';

/** A media or citable block anywhere in the request. `wire` is its path in the API's error messages. */
interface Media {
  readonly at: string;
  readonly wire: string;
  readonly type: string;
  readonly value: JsonObject;
}

/** Images, PDFs and citable blocks (docs: Vision; PDF support; Citations; Search results). */
export const media: Stage = (request, report) => {
  const found = collect(request);
  const images = found.filter(({ type }) => type === 'image');
  const documents = found.filter(({ type }) => type === 'document');
  count(images.length, documents.length, request.profile, report);
  const { image } = request.profile;
  const countedImages = images.length + (image.manyImageCountsDocuments ? documents.length : 0);
  for (const one of images) checkImage(one, countedImages > image.manyImageThreshold, request.profile, report);
  pdfs(documents, request.profile, report);
  citations(found, request.body, report);
};

/** A tool result may hold a document, and a document an image. The schema permits no deeper nesting. */
const MAX_DEPTH = 2;

function collect({ messages }: ParsedRequest): readonly Media[] {
  const found: Media[] = [];
  const visit = (blocks: readonly ParsedBlock[], parent: string, depth: number): void => {
    for (const { at, index, type, value } of blocks) {
      if (!HOLDERS.has(type)) continue;
      const wire = `${parent}.${index}.${type}`;
      if (type !== 'tool_result') found.push({ at, wire, type, value });
      if (depth === MAX_DEPTH) continue;
      if (type === 'tool_result') visit(blocksOf(value['content'], `${at}.content`), `${wire}.content`, depth + 1);
      if (type !== 'document' || !isObject(value['source'])) continue;
      visit(blocksOf(value['source']['content'], `${at}.source.content`), `${wire}.source.content.content`, depth + 1);
    }
  };
  for (const { index, blocks } of messages) visit(blocks, `messages.${index}.content`, 0);
  return found;
}

const HOLDERS = new Set(['image', 'document', 'search_result', 'tool_result']);

function count(images: number, documents: number, { image: { maxCount } }: Profile, report: Report): void {
  if (images + documents <= maxCount) return;
  const text = `too many images and documents: ${images} + ${documents} > ${maxCount}`;
  report({ rule: 'too-many-media', at: 'messages', text });
}

/** The base64 data and declared media type of a block with a base64 source. */
function embedded({ value }: Media): { readonly data: string; readonly mediaType: string } | undefined {
  const source = value['source'];
  if (!isObject(source) || source['type'] !== 'base64' || typeof source['data'] !== 'string') return undefined;
  return { data: source['data'], mediaType: textOf(source['media_type']) };
}

function checkImage(one: Media, isMany: boolean, { image, provider, resolution }: Profile, report: Report): void {
  const { at, wire } = one;
  const source = embedded(one);
  if (!source) return;
  const place = `${wire}.source.base64.data`;
  const { data, mediaType } = source;
  if (data === '') {
    report({ rule: 'image-empty', at, text: standIn(`${place}: the image is empty`) });
    return;
  }
  if (data.length > image.maxBase64Bytes) {
    const size = `image exceeds ${image.maxBase64Bytes / 1024 / 1024} MB maximum: ${data.length} bytes > ${image.maxBase64Bytes} bytes`;
    report({ rule: 'image-too-large', at, text: `${provider === 'anthropic' ? wire : place}: ${size}` });
  }
  const bytes = base64Bytes(data);
  const header = bytes && wholeImage(bytes);
  if (!header) {
    report({ rule: 'image-unreadable', at, text: 'Could not process image' });
    return;
  }
  if (mediaType.startsWith('image/') && header.mediaType !== mediaType) {
    const sentence = `The image was specified using the ${mediaType} media type, but the image appears to be a ${header.mediaType} image`;
    report({ rule: 'image-type-mismatch', at, text: `${wire}.source.base64: ${sentence}` });
  }
  oversized(one, header, resolution, report);
  const longest = Math.max(header.width, header.height);
  if (longest > image.maxPixelsPerSide) {
    const sentence = `At least one of the image dimensions exceed max allowed size: ${image.maxPixelsPerSide} pixels`;
    report({ rule: 'image-dimensions', at, text: `${place}: ${sentence}` });
  } else if (isMany && longest > image.manyImagePixels) {
    const sentence = `At least one of the image dimensions exceed max allowed size for many-image requests: ${image.manyImagePixels} pixels`;
    report({ rule: 'many-image-dimensions', at, text: `${place}: ${sentence}` });
  }
}

/** `oversized_image: "error"` rejects an image that would be downscaled otherwise (docs: Vision, "Coordinates"). */
function oversized({ at, value }: Media, size: ImageHeader, resolution: Resolution, report: Report): void {
  const transformations = value['transformations'];
  if (!isObject(transformations) || transformations['oversized_image'] !== 'error') return;
  const { width, height } = fittingSize(size, resolution);
  if (width === size.width && height === size.height) return;
  const found = `image dimensions ${size.width}x${size.height} exceed the maximum image size of a model named on this request`;
  const fix = `scale the image to at most ${width}x${height} or set the image's oversized_image setting to "downsize"`;
  report({ rule: 'image-oversized', at, text: `${at}: ${found} and would be downsized to ${width}x${height}; ${fix}` });
}

/** The page limit applies to all PDFs of a request together. PDFs with an unknown page count are not counted. */
function pdfs(documents: readonly Media[], { maxPdfPages }: Profile, report: Report): void {
  let pages = 0;
  for (const one of documents) {
    const source = embedded(one);
    if (!source || source.mediaType !== 'application/pdf') continue;
    const { at } = one;
    if (source.data === '') {
      report({ rule: 'pdf-empty', at, text: 'PDF cannot be empty' });
      continue;
    }
    const place = `${one.wire.replace(/document$/, 'pdf')}.source.base64.data`;
    const bytes = base64Bytes(source.data);
    const pdf = bytes && usablePdf(bytes, Infinity); // the limit is one of the request
    if (!pdf || 'fault' in pdf) {
      if (pdf?.fault === 'encrypted') report({ rule: 'pdf-encrypted', at, text: 'The PDF specified is password protected.' });
      else report({ rule: 'pdf-invalid', at, text: `${place}: The PDF specified was not valid.` });
      continue;
    }
    const before = pages;
    pages += pdf.pages ?? 0;
    if (before <= maxPdfPages && pages > maxPdfPages) {
      report({ rule: 'too-many-pdf-pages', at, text: `${place}: A maximum of ${maxPdfPages} PDF pages may be provided.` });
    }
  }
}

/** Citations are enabled for all blocks of a type or for none, and cannot be combined with an output format. */
function citations(found: readonly Media[], body: JsonObject, report: Report): void {
  const isCited = ({ value }: Media): boolean => isObject(value['citations']) && value['citations']['enabled'] === true;
  for (const type of ['document', 'search_result']) {
    const blocks = found.filter((one) => one.type === type);
    const different = blocks.find((one) => isCited(one) !== (blocks[0] && isCited(blocks[0])));
    if (different)
      report({
        rule: 'citations-mixed',
        at: different.at,
        text: standIn(`${different.wire}: citations must be enabled on all ${type} blocks or on none`),
      });
  }
  const cited = found.find(isCited);
  if (!cited || !isObject(body['output_config']) || !isObject(body['output_config']['format'])) return;
  report({
    rule: 'citations-with-output-format',
    at: cited.at,
    text: standIn('citations cannot be combined with `output_config.format`'),
  });
}
