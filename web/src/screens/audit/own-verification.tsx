import { useEffect, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { count } from '../../app/words.ts';
import { Button, Copy, ErrorNote } from '../../ui/parts.tsx';
import { type Verdict, verifyLog } from '../../../../packages/proofs/verification/verify-log.ts';
import { save } from '../../ui/save.ts';
import { BROWSER } from './browser-tools.ts';
import { grouped } from './verdict.ts';

/** The export, computed again here: it needs no trust in what the server says about itself. */
export function OwnVerification({ id }: { readonly id: string }) {
  const client = useClient();
  const action = useAction();
  const [key, setKey] = useState('');
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [progress, setProgress] = useState(0);
  const outcome = useRef<HTMLDivElement>(null);
  // On a phone it would be below what is shown.
  useEffect(() => {
    if (verdict !== null) outcome.current?.scrollIntoView({ block: 'nearest' });
  }, [verdict]);
  /** Shows the number, and lets the page do other work. */
  const progressed = async (lines: number): Promise<void> => {
    setProgress(lines);
    await new Promise((resolve) => setTimeout(resolve));
  };
  const verify = (): Promise<boolean> =>
    action.run(async () => {
      setVerdict(null);
      const response = await client.exportSession({ id, format: 'log' });
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      setVerdict(await verifyLog(lines, key.trim() === '' ? null : key.trim(), BROWSER, progressed));
    });
  const onSave = (format: 'log' | 'jsonl'): Promise<boolean> =>
    action.run(async () => save(await client.exportSession({ id, format }), `${id}${format === 'log' ? '.log' : ''}.jsonl`));
  return (
    <section className="card verification" aria-label="Verification in this browser">
      <h2>Verify in this browser</h2>
      <p className="aside">This page fetches the whole log and verifies it itself, without trust in what the server says.</p>
      <details className="aside">
        <summary>What is verified</summary>
        <p>
          The log comes with its salts and hashes, its files and the shared history of a fork. As <code>verbatim verify</code> does, the page computes the
          chain, what erasures have left, the proof and the signature of the checkpoint. With a public key that you got another way, the numbers need no trust
          in the server; the program of this page still comes from the server.
        </p>
      </details>
      <label>
        <span>
          Public key of the transparency log <span className="aside">(optional; without it, the key of the server)</span>
        </span>
        <input className="mono" value={key} placeholder="name+id+key" onChange={(event) => setKey(event.target.value)} />
      </label>
      <div className="bar">
        <Button look="primary" disabled={action.isBusy} onClick={() => void verify()}>
          Verify
        </Button>
        <Button onClick={() => void onSave('log')}>Save log</Button>
        <Button onClick={() => void onSave('jsonl')}>Save conversation</Button>
        {action.isBusy && progress > 0 && <span className="aside">{count(progress)} lines…</span>}
      </div>
      {verdict && (
        <div ref={outcome} className={`note outcome ${verdict.isProven ? 'good' : 'bad'}`} role="status">
          <div>
            <strong>{verdict.isProven ? 'Verified.' : 'Not proven.'}</strong> {grouped(verdict.text)}
            {verdict.key && key.trim() === '' && (
              <p className="server-key">
                <span>Key of the server:</span> <code title={verdict.key}>{verdict.key}</code> <Copy text={verdict.key} isIcon />
              </p>
            )}
          </div>
        </div>
      )}
      <ErrorNote error={action.error} />
    </section>
  );
}
