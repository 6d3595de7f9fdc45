import { useEffect, useState } from 'react';
import { bytes } from '../../app/words.ts';
import { Raw } from '../../ui/raw.tsx';

interface Props {
  readonly data: string;
  readonly mediaType: string;
  /** What is shown of data that is no picture. */
  readonly block: unknown;
}

/** A picture whose bytes are in the message. The policy of the page allows pictures from memory, and no addresses that contain them. */
export function PictureInMessage({ data, mediaType, block }: Props) {
  const [url, setUrl] = useState<string | null>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    let made: string | null = null;
    try {
      made = URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (one) => one.charCodeAt(0))], { type: mediaType }));
      setUrl(made);
    } catch {
      setBroken(true);
    }
    return () => {
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [data, mediaType]);
  if (isBroken) return <Raw title="image" value={block} />;
  if (url === null) return <div className="picture empty-picture" />;
  return (
    <div className="picture">
      <img src={url} alt={`Image, ${bytes((data.length * 3) / 4)}`} onError={() => setBroken(true)} />
    </div>
  );
}
