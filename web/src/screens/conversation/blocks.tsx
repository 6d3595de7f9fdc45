import type { ContentBlock, StoredSource } from '@verbatim/client';
import { useEffect, useState } from 'react';
import { bytes } from '../../app/words.ts';
import { Markdown } from '../../text/markdown.tsx';
import { Plain } from '../../text/plain.tsx';
import { Json } from '../../ui/parts.tsx';
import { useTranscript } from './context.tsx';
import { ToolCard } from './tool-card.tsx';

interface Props {
  readonly block: ContentBlock;
  /** The answer that is still streaming. */
  readonly isDraft?: boolean;
  /** Text of the model is Markdown, text of a person is shown as typed. */
  readonly isModel?: boolean;
  readonly requestId?: string | undefined;
}

/** A content block. A kind that this page does not know is shown as it is stored. */
export function BlockView({ block, isDraft = false, isModel = false, requestId }: Props) {
  switch (block.type) {
    case 'text':
      return isModel ? <Markdown text={block.text} /> : <Plain text={block.text} />;
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
      return block.source.type === 'blob' ? <StoredImage source={block.source} /> : <Unknown block={block} name="image" />;
    case 'document':
      return block.source.type === 'blob' ? <StoredFile source={block.source} title={block.title ?? null} /> : <Unknown block={block} name="document" />;
    case 'tool_use':
      return <ToolCard call={block} requestId={requestId} isDraft={isDraft} Content={ContentView} />;
    default:
      return <Unknown block={block} name={String((block as { type: unknown }).type)} />;
  }
}

function Unknown({ block, name }: { readonly block: ContentBlock; readonly name: string }) {
  return (
    <details className="unknown">
      <summary>{name}</summary>
      <Json value={block} label={name} />
    </details>
  );
}

function useUrl(source: StoredSource): { readonly url: string | null; readonly isMissing: boolean } {
  const { conversation } = useTranscript();
  const [state, setState] = useState<{ readonly url: string | null; readonly isMissing: boolean }>({ url: null, isMissing: false });
  useEffect(() => {
    let isCurrent = true;
    conversation.urlOf(source).then(
      (url) => isCurrent && setState({ url, isMissing: false }),
      () => isCurrent && setState({ url: null, isMissing: true }),
    );
    return () => void (isCurrent = false);
  }, [conversation, source]);
  return state;
}

export function StoredImage({ source }: { readonly source: StoredSource }) {
  const { url, isMissing } = useUrl(source);
  if (isMissing) return <p className="aside">An image that the server does not have any more</p>;
  const size = { ...(source.width === undefined ? {} : { width: source.width }), ...(source.height === undefined ? {} : { height: source.height }) };
  if (url === null) return <div className="picture empty-picture" />;
  return (
    <a href={url} target="_blank" rel="noopener" className="picture">
      <img src={url} alt={`Image, ${bytes(source.bytes)}`} {...size} />
    </a>
  );
}

function StoredFile({ source, title }: { readonly source: StoredSource; readonly title: string | null }) {
  const { url } = useUrl(source);
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

/** The content of a tool result, or of a prompt. */
export function ContentView({ content }: { readonly content: string | readonly ContentBlock[] | undefined }) {
  if (content === undefined || content.length === 0) return <p className="aside">(no output)</p>;
  if (typeof content === 'string') return <Plain text={content} className="mono" />;
  return content.map((block, index) =>
    block.type === 'text' ? <Plain key={index} text={block.text} className="mono" /> : <BlockView key={index} block={block} />,
  );
}
