import { isBlobSource } from '../../../../packages/protocol/message/content.js';
import { isObject, type UnknownObject } from '../../../../packages/protocol/message/unknown-json.js';
import { inLine } from './texts.js';

/** An image or a document, in a line; null when it does not tell where it is. */
export function fileLine({ type, source, title }: UnknownObject, names: ReadonlyMap<string, string>): string | null {
  if (!isObject(source)) return null;
  const kind = type === 'image' ? 'Image' : 'File';
  const own = textIn(title);
  if (!isBlobSource(source)) {
    const about = own ?? textIn(source['url']) ?? textIn(source['type']);
    return about === null ? null : `${kind}: ${inLine(about)}`;
  }
  const { media_type, bytes, width, height, pages, sha256, original } = source;
  const name = own ?? names.get(sha256) ?? (isBlobSource(original) ? names.get(original.sha256) : undefined);
  const facts = [
    ...(textIn(media_type) === null ? [] : [media_type]),
    ...(isNumber(width) && isNumber(height) ? [`${width} × ${height} pixels`] : []),
    ...(isNumber(pages) ? [`${pages} ${pages === 1 ? 'page' : 'pages'}`] : []),
    ...(isNumber(bytes) ? [`${bytes} bytes`] : []),
  ].join(', ');
  return name === undefined ? `${kind}: ${inLine(facts)}` : `${kind}: ${inLine(name)} (${inLine(facts)})`;
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isNumber = (value: unknown): value is number => typeof value === 'number';
