import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';

interface Props {
  readonly url: string;
  readonly alt: string;
  /** Its own size in pixels, where it is known: the page does not move when the picture arrives. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly onError?: () => void;
}

/** Most pixels that a picture in the transcript is wide and high. */
const WIDTH = 360;
const HEIGHT = 320;

/** The place of a picture of this size, also before it is there; undefined: its size is not known. */
export function placeOf({ width, height }: { readonly width?: number | undefined; readonly height?: number | undefined }) {
  if (!width || !height) return undefined;
  return { width: Math.min(width, WIDTH, (HEIGHT * width) / height), aspectRatio: `${width} / ${height}` };
}

/** A picture; a click shows it as large as the window allows, another one in its own size. */
export function Zoom({ url, alt, width, height, onError }: Props) {
  const [size, setSize] = useState<'small' | 'fitted' | 'whole'>('small');
  return (
    <>
      <button type="button" className="picture" aria-label={`Enlarge: ${alt}`} onClick={() => setSize('fitted')}>
        <img src={url} alt={alt} style={placeOf({ width, height })} onError={onError} />
      </button>
      {size !== 'small' && (
        <Dialog title={alt} onClose={() => setSize('small')}>
          <button
            type="button"
            className={`zoomed ${size}`}
            aria-label={size === 'fitted' ? 'Show in its own size' : 'Fit into the window'}
            onClick={() => setSize(size === 'fitted' ? 'whole' : 'fitted')}
          >
            <img src={url} alt={alt} />
          </button>
        </Dialog>
      )}
    </>
  );
}
