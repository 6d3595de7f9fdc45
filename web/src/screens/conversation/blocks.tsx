import type { ContentBlock, StoredSource } from '@verbatim/client';
import { type ReactNode, useEffect, useState } from 'react';
import { bytes, plural } from '../../app/words.ts';
import { Output } from '../../text/code.tsx';
import { Markdown } from '../../text/markdown.tsx';
import { Link } from '../../text/link.tsx';
import { Plain, visible } from '../../text/plain.tsx';
import { Button } from '../../ui/parts.tsx';
import { Raw, RawBoundary } from '../../ui/raw.tsx';
import { Citations } from './citations.tsx';
import { useTranscript } from './context.tsx';
import { PDF, PdfCard } from './pdf.tsx';
import { PdfInMessage } from './pdf-in-message.tsx';
import { PictureInMessage } from './picture-in-message.tsx';
import { placeOf, Zoom } from './zoom.tsx';
import { ToolCard } from './tool-card.tsx';
import { TypedText } from './typed-text.tsx';

interface Props {
  readonly block: ContentBlock;
  /** The answer that is still streaming. */
  readonly isDraft?: boolean;
  /** Text of the model is Markdown, text of a person is shown as typed. */
  readonly isModel?: boolean;
  readonly requestId?: string | undefined;
  /** What is done with the message of a call, in the head of its card. */
  readonly menu?: ReactNode;
}

/** A content block. A kind that this page does not know is shown as it is stored. */
export function BlockView({ block, isDraft = false, isModel = false, requestId, menu }: Props) {
  switch (block.type) {
    case 'text':
      return (
        <>
          {isModel ? <Markdown text={block.text} /> : <TypedText text={block.text} />}
          <Citations citations={'citations' in block ? block.citations : null} />
        </>
      );
    case 'thinking':
      return (
        <details className="thinking" open={isDraft}>
          <summary>Thinking</summary>
          <Plain text={block.thinking || '(The model returned a signature without text.)'} />
        </details>
      );
    case 'redacted_thinking':
      return <p className="aside">Thinking, encrypted by the provider</p>;
    case 'image':
      return <Picture block={block} />;
    case 'document':
      return <Document block={block} />;
    case 'tool_use':
      return <ToolCard call={block} requestId={requestId} isDraft={isDraft} menu={menu} Content={ContentView} />;
    default:
      return <Raw title={String((block as { type: unknown }).type)} value={block} />;
  }
}

/** Kinds of pictures that a page shows from memory. Any other picture is shown as it is stored. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Imported conversations may have the bytes of a picture in the message, or its address, from which nothing is loaded. */
function Picture({ block }: { readonly block: ContentBlock & { readonly type: 'image' } }) {
  const source = block.source as StoredSource | { readonly type: string; readonly media_type?: unknown; readonly data?: unknown; readonly url?: unknown };
  if (isStored(source)) return <StoredImage source={source} />;
  if (source.type === 'url' && typeof source.url === 'string') {
    return (
      <p>
        <Link href={source.url}>[image: at another host]</Link>
      </p>
    );
  }
  if (source.type !== 'base64' || typeof source.data !== 'string' || !SHOWN.has(String(source.media_type))) return <Raw title="image" value={block} />;
  return <PictureInMessage data={source.data} mediaType={String(source.media_type)} block={block} />;
}

const isStored = (source: { readonly type: string }): source is StoredSource => source.type === 'blob';

function useUrl(source: StoredSource): { readonly url: string | null; readonly isMissing: boolean } {
  const { urlOf } = useTranscript();
  const [state, setState] = useState<{ readonly url: string | null; readonly isMissing: boolean }>({ url: null, isMissing: false });
  useEffect(() => {
    let isCurrent = true;
    urlOf(source).then(
      (url) => isCurrent && setState({ url, isMissing: false }),
      () => isCurrent && setState({ url: null, isMissing: true }),
    );
    return () => void (isCurrent = false);
  }, [urlOf, source]);
  return state;
}

export function StoredImage({ source }: { readonly source: StoredSource }) {
  const { url, isMissing } = useUrl(source);
  if (isMissing) return <p className="aside">An image that the server does not have any more</p>;
  if (url === null) return <div className="picture empty-picture" style={placeOf(source)} />;
  return <Zoom url={url} alt={`Image, ${bytes(source.bytes)}`} width={source.width} height={source.height} />;
}

/** A PDF can be shown and saved, a text be read where it stands; a document of another source, such as an address, is shown as it is stored. */
function Document({ block }: { readonly block: ContentBlock & { readonly type: 'document' } }) {
  const source = block.source as StoredSource | { readonly type: string; readonly media_type?: unknown; readonly data?: unknown };
  if (isStored(source)) return <StoredFile source={source} title={block.title ?? null} />;
  if (source.type === 'base64' && source.media_type === PDF && typeof source.data === 'string') {
    return <PdfInMessage data={source.data} name={block.title ?? null} block={block} />;
  }
  if (source.type !== 'text' || typeof source.data !== 'string') return <Raw title="document" value={block} />;
  return (
    <details>
      <summary>{`${visible(block.title ?? 'Text')} (${plural(source.data.replace(/\n$/, '').split('\n').length, 'line')})`}</summary>
      <Output text={source.data} />
    </details>
  );
}

function StoredFile({ source, title }: { readonly source: StoredSource; readonly title: string | null }) {
  const { url } = useUrl(source);
  const { bytesOf } = useTranscript();
  if (source.media_type === PDF) {
    return <PdfCard name={title} size={source.bytes} pages={source.pages} load={() => bytesOf(source)} url={url} />;
  }
  const pages = source.pages === undefined ? '' : `, ${source.pages} pages`;
  const label = `${title ?? source.media_type} (${bytes(source.bytes)}${pages})`;
  return url === null ? (
    <p className="aside">{label}</p>
  ) : (
    <a href={url} download={title ?? source.sha256.slice(0, 12)}>
      {label}
    </a>
  );
}

/** Most blocks of one result that are laid out at once. */
const BLOCKS = 40;

/** The content of a tool result. */
export function ContentView({ content }: { readonly content: string | readonly ContentBlock[] | undefined }) {
  const [limit, setLimit] = useState(BLOCKS);
  if (content === undefined || content.length === 0) return <p className="aside">(no output)</p>;
  if (typeof content === 'string') return <Output text={content} />;
  return (
    <>
      {content.slice(0, limit).map((block, index) => (
        <RawBoundary key={index} title={String(block.type)} value={block}>
          {block.type === 'text' ? <Output text={block.text} /> : <BlockView block={block} />}
        </RawBoundary>
      ))}
      {content.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit * 4)}>
          Show more: {plural(content.length - limit, 'block')} are left
        </Button>
      )}
    </>
  );
}
