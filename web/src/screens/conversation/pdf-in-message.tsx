import { blobOf, useBytesUrl } from '../../ui/bytes-url.ts';
import { Raw } from '../../ui/raw.tsx';
import { PDF, PdfCard } from './pdf.tsx';

interface Props {
  /** Base64. */
  readonly data: string;
  readonly name: string | null;
  /** What is shown of data that is no base64. */
  readonly block: unknown;
}

/** A PDF whose bytes are in the message, as imported conversations have it. */
export function PdfInMessage({ data, name, block }: Props) {
  const url = useBytesUrl(data, PDF);
  if (url === 'broken') return <Raw title="document" value={block} />;
  return <PdfCard name={name} size={Math.floor((data.replace(/=+$/, '').length * 3) / 4)} pages={undefined} load={async () => blobOf(data, PDF)} url={url} />;
}
