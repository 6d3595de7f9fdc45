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

/** A picture; a click shows it as large as the window allows, another one in its own size. */
export function Zoom({ url, alt, width, height, onError }: Props) {
  const [size, setSize] = useState<'small' | 'fitted' | 'whole'>('small');
  return (
    <>
      <button type="button" className="picture" aria-label={`Enlarge: ${alt}`} onClick={() => setSize('fitted')}>
        <img src={url} alt={alt} width={width} height={height} onError={onError} />
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
