import { useMemo, useState } from 'react';
import { base64Bytes } from '../../../../packages/normalizer/media/base64.ts';
import { imageHeader } from '../../../../packages/normalizer/media/image-header.ts';
import { bytes } from '../../app/words.ts';
import { useBytesUrl } from '../../ui/bytes-url.ts';
import { Raw } from '../../ui/raw.tsx';
import { placeOf, Zoom } from './zoom.tsx';

interface Props {
  readonly data: string;
  readonly mediaType: string;
  /** What is shown of data that is no picture. */
  readonly block: unknown;
}

/** As the first bytes say it. */
function sizeOf(data: string): { readonly width?: number; readonly height?: number } {
  const read = base64Bytes(data);
  const header = read && imageHeader(read);
  return header === undefined ? {} : { width: header.width, height: header.height };
}

/** A picture whose bytes are in the message. */
export function PictureInMessage({ data, mediaType, block }: Props) {
  const url = useBytesUrl(data, mediaType);
  const [isBroken, setBroken] = useState(false);
  const size = useMemo(() => sizeOf(data), [data]);
  if (isBroken || url === 'broken') return <Raw title="image" value={block} />;
  if (url === null) return <div className="picture empty-picture" style={placeOf(size)} />;
  return <Zoom url={url} alt={`Image, ${bytes((data.length * 3) / 4)}`} {...size} onError={() => setBroken(true)} />;
}
