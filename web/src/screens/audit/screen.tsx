import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { count, plural } from '../../app/words.ts';
import { Badge, Button, Copy, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { EraseDialog } from '../sessions/erase.tsx';
import { Accesses } from './accesses.tsx';
import { Erasures } from './erasures.tsx';
import { OwnVerification } from './own-verification.tsx';
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
          <h2>Erase the content</h2>
          <p className="aside">Texts and files go; ids, times and hashes stay, so that the log remains provable. It cannot be undone.</p>
        </div>
        <Button look="danger" onClick={() => setErasing(true)}>
          Erase content…
        </Button>
      </section>
      {isErasing && <EraseDialog id={id} title={null} onClose={() => setErasing(false)} onErased={() => setRound((one) => one + 1)} />}
    </div>
  );
}

function ChainState({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const { data, error, isLoading, reload } = useLoad((signal) => client.auditSession({ id }, { signal }), [client, id], version);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the audit" />;
  const { valid, events, erased, headHash, rowMatches, firstInvalidSeq, transparencyLog: logged, parents = [] } = data;
  const verdict = verdictOf(data);
  return (
    <>
      <div className={`note verdict ${verdict.isGood ? 'good' : 'bad'}`}>
        <p role="status">
          <strong>{verdict.text}</strong> {verdict.scope}
        </p>
        <Button disabled={isLoading} onClick={reload}>
          Audit now
        </Button>
      </div>
      <section className="facts" aria-label="State of the log">
        <section>
          <h2>Hash chain</h2>
          <p>{valid ? <Badge tone="good">valid</Badge> : <Badge tone="bad">invalid from event {count(firstInvalidSeq ?? 0)}</Badge>}</p>
          <p className="aside">
            {plural(events, 'event')}
            {erased > 0 && `, ${count(erased)} of them erased`}
            {!rowMatches && '; its row in the session list differs'}
          </p>
          {headHash && (
            <p className="aside head-hash">
              Head <code title={headHash}>{headHash.slice(0, 16)}…</code> <Copy text={headHash} label="Copy the hash of the head" isIcon />
            </p>
          )}
        </section>
        <section>
          <h2>Transparency log</h2>
          {!logged || !logged.checkpoint ? (
            <p>
              <Badge>no checkpoint yet</Badge>
            </p>
          ) : (
            <>
              <p>{logged.matches ? <Badge tone="good">matches</Badge> : <Badge tone="bad">differs from event {count(logged.firstMismatch ?? 0)}</Badge>}</p>
              <p className="aside">
                {plural(logged.events, 'event')} in the checkpoint of <Time value={logged.checkpoint.createdAt} />, which has{' '}
                {plural(logged.checkpoint.size, 'entry', 'entries')} in all
              </p>
              {logged.problem && <p className="bad-text">{logged.problem}</p>}
            </>
          )}
        </section>
        <section>
          <h2>External anchor</h2>
          {logged?.anchored ? (
            <>
              <p>
                <Badge tone="good">anchored</Badge>
              </p>
              <p className="aside">
                {plural(logged.anchored.events, 'event')}, since <Time value={logged.anchored.at} />
              </p>
            </>
          ) : (
            <>
              <p>
                <Badge>none</Badge>
              </p>
              <p className="aside">The deployment puts its checkpoints nowhere else (ANCHOR_FILE, ANCHOR_URLS).</p>
            </>
          )}
        </section>
        {parents.length > 0 && (
          <section>
            <h2>Forked from</h2>
            {parents.map((parent) => (
              <p key={parent.sessionId} className="aside">
                {parent.sessionId.slice(0, 8)}, event {count(parent.seq)}: {parent.valid ? <Badge tone="good">valid</Badge> : <Badge tone="bad">invalid</Badge>}
              </p>
            ))}
          </section>
        )}
      </section>
    </>
  );
}
