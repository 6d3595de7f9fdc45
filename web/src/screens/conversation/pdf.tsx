import { useEffect, useState } from 'react';
import { bytes as bytesOf } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';

export const PDF = 'application/pdf';
/** How every PDF begins. */
const BEGINNING = [0x25, 0x50, 0x44, 0x46, 0x2d];

interface Props {
  /** What it is called; null: it has no name. */
  readonly name: string | null;
  readonly size: number;
  readonly pages: number | undefined;
  /** Its bytes, read when they are needed. */
  readonly load: () => Promise<Blob>;
  /** Its address, to save it; null: not known yet. */
  readonly url: string | null;
}

/** A PDF of a conversation: shown by the viewer of the browser where it has one, and to be saved. */
export function PdfCard({ name, size, pages, load, url }: Props) {
  const [isOpen, setOpen] = useState(false);
  const title = visible(name ?? 'PDF');
  return (
    <div className="file-card" role="group" aria-label={`PDF ${title}`}>
      <Icon name="file" />
      <span className="file-name">
        <strong>{title}</strong>
        <span className="aside">
          PDF, {bytesOf(size)}
          {pages !== undefined && `, ${pages} ${pages === 1 ? 'page' : 'pages'}`}
        </span>
      </span>
      {navigator.pdfViewerEnabled && <Button onClick={() => setOpen(true)}>Show</Button>}
      {url !== null && (
        <a className="button plain" href={url} download={name ?? 'document.pdf'}>
          Download
        </a>
      )}
      {isOpen && <PdfDialog title={title} load={load} onClose={() => setOpen(false)} />}
    </div>
  );
}

/**
 * Why it is safe to show bytes that others wrote in a frame: what the frame is given begins as a PDF does, and has the type of a PDF whatever the server said, so
 * that the browser hands it to its viewer and never reads it as a page. Its viewer runs apart from this page, also scripts in the PDF. The policy of the page
 * allows frames of addresses that its own scripts have made in memory, and no others; this is the only place that makes one for a frame, and it is gone when the
 * dialog is.
 */
function PdfDialog({ title, load, onClose }: { readonly title: string; readonly load: () => Promise<Blob>; readonly onClose: () => void }) {
  const [state, setState] = useState<{ readonly url: string } | { readonly error: unknown } | 'no PDF' | null>(null);
  useEffect(() => {
    let url: string | null = null;
    let isCurrent = true;
    void load()
      .then(async (blob) => {
        const start = new Uint8Array(await blob.slice(0, BEGINNING.length).arrayBuffer());
        if (!isCurrent) return;
        if (!BEGINNING.every((byte, index) => start[index] === byte)) return setState('no PDF');
        url = URL.createObjectURL(new Blob([blob], { type: PDF }));
        setState({ url });
      })
      .catch((error: unknown) => isCurrent && setState({ error }));
    return () => {
      isCurrent = false;
      if (url !== null) URL.revokeObjectURL(url);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <Dialog title={title} onClose={onClose}>
      {state === 'no PDF' ? (
        <p className="note bad" role="alert">
          This file says that it is a PDF, and does not begin as one. It is not shown; it can be downloaded.
        </p>
      ) : state !== null && 'error' in state ? (
        <ErrorNote error={state.error} />
      ) : (
        <div className="pdf" role={state === null ? 'status' : undefined}>
          {state === null ? <span className="hidden">Loading the PDF…</span> : <iframe src={state.url} title={`PDF ${title}`} />}
        </div>
      )}
    </Dialog>
  );
}
