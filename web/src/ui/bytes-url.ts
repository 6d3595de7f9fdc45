import { useEffect, useState } from 'react';

/** Throws when `data` is no base64. */
export const blobOf = (data: string, mediaType: string): Blob => new Blob([Uint8Array.from(atob(data), (one) => one.charCodeAt(0))], { type: mediaType });

/**
 * The address of a picture or a file whose bytes are known, for as long as it is shown; null: it is being made, `broken`: these are no bytes. The policy of the
 * page allows pictures from memory, and no addresses that contain them. `data`: base64.
 */
export function useBytesUrl(data: string, mediaType: string): string | null | 'broken' {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let made: string | null = null;
    try {
      made = URL.createObjectURL(blobOf(data, mediaType));
      setUrl(made);
    } catch {
      setUrl('broken');
    }
    return () => {
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [data, mediaType]);
  return url;
}
