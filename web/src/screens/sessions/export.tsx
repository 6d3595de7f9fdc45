import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import { save } from '../../ui/save.ts';

const FORMATS = [
  ['markdown', 'Markdown', 'To read it, or to paste it elsewhere'],
  ['messages', 'Messages (JSONL)', 'To import it into this or another server'],
] as const;

interface Props {
  readonly id: string;
  readonly title: string | null;
  readonly onClose: () => void;
}

/** Saves a conversation as a file. */
export function ExportDialog({ id, title, onClose }: Props) {
  const client = useClient();
  const action = useAction();
  const [format, setFormat] = useState<(typeof FORMATS)[number][0]>('markdown');
  const [thinking, setThinking] = useState(false);
  const name = fileName(title) || id;
  const saveIt = (): Promise<unknown> =>
    action.run(async () =>
      format === 'markdown' ? save(await client.exportMarkdown({ id, thinking }), `${name}.md`) : save(await client.exportSession({ id }), `${name}.jsonl`),
    );
  return (
    <Dialog
      title="Export"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={action.isBusy} onClick={() => void saveIt()}>
            Save the file
          </Button>
        </>
      }
    >
      <fieldset className="formats">
        <legend className="hidden">Format</legend>
        {FORMATS.map(([key, label, what]) => (
          <label key={key} className="check">
            <input type="radio" name="format" checked={format === key} onChange={() => setFormat(key)} />
            <span>
              <strong>{label}</strong>
              <span className="aside">{what}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {format === 'markdown' && (
        <label className="check">
          <input type="checkbox" checked={thinking} onChange={(event) => setThinking(event.target.checked)} /> With the thinking of the model
        </label>
      )}
      <ErrorNote error={action.error} />
    </Dialog>
  );
}

/** The title, of what every file system allows. */
const fileName = (title: string | null): string =>
  (title ?? '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .slice(0, 80);
