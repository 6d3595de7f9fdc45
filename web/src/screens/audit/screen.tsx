import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { count, plural } from '../../app/words.ts';
import { Badge, Button, Copy, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { EraseDialog } from '../sessions/erase.tsx';
import { Accesses } from './accesses.tsx';
import { Erasures } from './erasures.tsx';
import { type Verdict, verifyLog } from '../../../../packages/proofs/verification/verify-log.ts';
import { save } from '../../ui/save.ts';
import { BROWSER } from './browser-tools.ts';
import { verdictOf } from './verdict.ts';

/** Whether the log of a session is as it was recorded, who read it, and what was erased of it. */
export function AuditScreen({ id, version }: { readonly id: string; readonly version: number }) {
  const [isErasing, setErasing] = useState(false);
  const [round, setRound] = useState(0);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="page" tabIndex={0} role="region" aria-label="Audit">
      <ChainState id={id} version={version} />
      <OwnVerification id={id} />
      <Accesses id={id} version={version} />
      <Erasures id={id} version={version + round} />
      <section className="card danger-zone" aria-label="Erase">
        <div>
          <h2>Erase its content</h2>
          <p className="aside">Texts and files go; ids, times and hashes stay, so that the log remains provable. It cannot be undone.</p>
        </div>
        <Button look="danger" onClick={() => setErasing(true)}>
          Erase its content…
        </Button>
      </section>
      {isErasing && <EraseDialog id={id} title={null} onClose={() => setErasing(false)} onErased={() => setRound((one) => one + 1)} />}
    </div>
  );
}

function ChainState({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const { data, error, isLoading, reload } = useLoad((signal) => client.auditSession({ id }, { signal }), [client, id, version]);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the audit" />;
  const { valid, events, erased, headHash, rowMatches, firstInvalidSeq, transparencyLog: logged, parents = [] } = data;
  const verdict = verdictOf(data);
  return (
    <>
      <div className={`note verdict ${verdict.isGood ? 'good' : 'bad'}`}>
        <strong role="status">{verdict.text}</strong>
        <Button look="quiet" disabled={isLoading} onClick={reload}>
          Audit now
        </Button>
      </div>
      <section className="facts" aria-label="State of the log">
        <section>
          <h2>Hash chain</h2>
          <p>{valid ? <Badge tone="good">valid</Badge> : <Badge tone="bad">invalid from event {firstInvalidSeq}</Badge>}</p>
          <p className="aside">
            {plural(events, 'event')}
            {erased > 0 && `, ${count(erased)} of them erased`}
            {!rowMatches && '; its row in the session list differs'}
          </p>
          {headHash && (
            <p className="aside">
              Head <code title={headHash}>{headHash.slice(0, 16)}…</code>
            </p>
          )}
        </section>
        <section>
          <h2>Transparency log</h2>
          {!logged || !logged.checkpoint ? (
            <p className="aside">No checkpoint yet.</p>
          ) : (
            <>
              <p>{logged.matches ? <Badge tone="good">matches</Badge> : <Badge tone="bad">differs from event {logged.firstMismatch}</Badge>}</p>
              <p className="aside">
                {plural(logged.events, 'event')} in the checkpoint of {count(logged.checkpoint.size)} leaves, <Time value={logged.checkpoint.createdAt} />
              </p>
              {logged.problem && <p className="bad-text">{logged.problem}</p>}
            </>
          )}
        </section>
        <section>
          <h2>Anchor outside</h2>
          {logged?.anchored ? (
            <p>
              {plural(logged.anchored.events, 'event')}, since <Time value={logged.anchored.at} />
            </p>
          ) : (
            <p className="aside">None: the deployment puts its checkpoints nowhere else (ANCHOR_FILE, ANCHOR_URLS).</p>
          )}
        </section>
        {parents.length > 0 && (
          <section>
            <h2>Forked from</h2>
            {parents.map((parent) => (
              <p key={parent.sessionId} className="aside">
                {parent.sessionId.slice(0, 8)}, event {parent.seq}: {parent.valid ? <Badge tone="good">valid</Badge> : <Badge tone="bad">invalid</Badge>}
              </p>
            ))}
          </section>
        )}
      </section>
    </>
  );
}

/** The export, computed again here: it needs no trust in what the server says about itself. */
function OwnVerification({ id }: { readonly id: string }) {
  const client = useClient();
  const action = useAction();
  const [key, setKey] = useState('');
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [progress, setProgress] = useState(0);
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
    <section className="card" aria-label="Verification in this browser">
      <h2>Verify in this browser</h2>
      <p className="aside">
        The whole log is fetched with its salts and hashes, its files and the shared history of a fork, and this page verifies it as{' '}
        <code>verbatim verify</code> does: the chain, what erasures have left, the proof and the signature of the checkpoint. With a public key that you got
        another way, the numbers need no trust in the server; the program of this page comes from it all the same.
      </p>
      <label>
        Public key of the transparency log (left out: the one that the server gives)
        <input className="mono" value={key} placeholder="name+id+key" onChange={(event) => setKey(event.target.value)} />
      </label>
      <div className="verify-outcome">
        <Button look="primary" disabled={action.isBusy} onClick={() => void verify()}>
          Verify
        </Button>
        {action.isBusy && progress > 0 && <p className="aside">{count(progress)} lines…</p>}
        {verdict && (
          <div className={`note ${verdict.isProven ? 'good' : 'bad'}`} role="status">
            <div>
              <strong>{verdict.isProven ? 'Verified.' : 'Not proven.'}</strong> {verdict.text}
              {verdict.key && key.trim() === '' && (
                <p>
                  Key of the server: <code>{verdict.key.slice(0, 60)}…</code> <Copy text={verdict.key} look="quiet" />
                </p>
              )}
            </div>
          </div>
        )}
      </div>
      <div className="line verify-foot">
        <span className="spacer" />
        <div className="bar-end">
          <Button look="quiet" onClick={() => void onSave('log')}>
            Save the log
          </Button>
          <Button look="quiet" onClick={() => void onSave('jsonl')}>
            Save the conversation
          </Button>
        </div>
      </div>
      <ErrorNote error={action.error} />
    </section>
  );
}
