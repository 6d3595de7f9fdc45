import { type Composition, fileBlock, type Piece, withPaste } from '@verbatim/client';
import { useState } from 'react';
import { plural } from '../../app/words.ts';
import { Icon } from '../../ui/icon.tsx';
import { useBytesUrl } from '../../ui/bytes-url.ts';
import { Plain, visible } from '../../text/plain.tsx';

/** An image is pasted, so that the text can refer to it; any other file is a document. */
export async function withFile(composition: Composition, file: File): Promise<Composition> {
  const block = await fileBlock(file);
  if (block.type === 'image' && block.source.type === 'base64') {
    const { data, media_type } = block.source;
    return withPaste(composition, { type: 'image', content: data, mediaType: media_type, ...(file.name === '' ? {} : { filename: file.name }) });
  }
  const titled = block.type === 'document' ? { ...block, title: file.name } : block;
  return { ...composition, pieces: [...composition.pieces, { type: 'file', block: titled }] };
}

interface Props {
  readonly pieces: readonly Piece[];
  readonly onRemove: (piece: Piece) => void;
}

/** What a prompt has beside its text: each can be removed, and a pasted text can be read. */
export function Pieces({ pieces, onRemove }: Props) {
  if (pieces.length === 0) return null;
  return (
    <ul className="pastes" aria-label="Beside the text">
      {pieces.map((piece, index) => {
        const label = visible(labelOf(piece, index + 1));
        return (
          <li key={index}>
            {piece.type === 'paste' && piece.paste.type === 'text' ? (
              <details>
                <summary>{label}</summary>
                <Plain text={piece.paste.content ?? ''} className="mono" />
              </details>
            ) : (
              <>
                {piece.type === 'paste' && piece.paste.type === 'image' && (
                  <Thumbnail data={piece.paste.content ?? ''} mediaType={piece.paste.mediaType ?? ''} />
                )}
                {label}
              </>
            )}
            <button type="button" aria-label={`Remove ${label}`} onClick={() => onRemove(piece)}>
              <Icon name="close" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Nothing of what is no picture: its name stands beside it. */
function Thumbnail({ data, mediaType }: { readonly data: string; readonly mediaType: string }) {
  const url = useBytesUrl(data, mediaType);
  const [isBroken, setBroken] = useState(false);
  return url === null || url === 'broken' || isBroken ? null : <img src={url} alt="" onError={() => setBroken(true)} />;
}

function labelOf(piece: Piece, place: number): string {
  switch (piece.type) {
    case 'attachment':
      return `Attachment: ${piece.attachment.type}`;
    case 'file': {
      const { block } = piece;
      return (block.type === 'document' && block.title) || `${block.type === 'image' ? 'Image' : 'Document'} ${place}`;
    }
    case 'paste': {
      const { type, content = '', filename } = piece.paste;
      return type === 'text' ? `Pasted text, ${plural(content.split('\n').length, 'line')}` : (filename ?? `Image ${place}`);
    }
  }
}
