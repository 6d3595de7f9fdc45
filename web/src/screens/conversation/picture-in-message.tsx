import { useState } from 'react';
import { bytes } from '../../app/words.ts';
import { usePictureUrl } from '../../ui/picture-url.ts';
import { Raw } from '../../ui/raw.tsx';
import { Zoom } from './zoom.tsx';

interface Props {
  readonly data: string;
  readonly mediaType: string;
  /** What is shown of data that is no picture. */
  readonly block: unknown;
}

/** A picture whose bytes are in the message. */
export function PictureInMessage({ data, mediaType, block }: Props) {
  const url = usePictureUrl(data, mediaType);
  const [isBroken, setBroken] = useState(false);
  if (isBroken || url === 'broken') return <Raw title="image" value={block} />;
  if (url === null) return <div className="picture empty-picture" />;
  return <Zoom url={url} alt={`Image, ${bytes((data.length * 3) / 4)}`} onError={() => setBroken(true)} />;
}
