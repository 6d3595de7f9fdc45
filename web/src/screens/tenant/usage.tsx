import type { Client } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { Link, useQuery } from '../../app/router.tsx';
import { count, shortId } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button, Empty, ErrorNote } from '../../ui/parts.tsx';
import { ModelForm } from './model-form.tsx';
import { QuotaForm } from './quota-form.tsx';
import { SectionHead } from './section-head.tsx';
import { LimitsInForce } from './quota-use.tsx';
import { UsageByDay } from './usage-by-day.tsx';
import { MOST_SUMS, type Report, saveSums, type Sum, SumTable } from './usage-sums.tsx';

const GROUPS = ['user', 'model', 'session'] as const satisfies readonly Report['groupBy'][];
type Group = (typeof GROUPS)[number];
/** In days. */
const SPANS = [7, 30, 90] as const;
const HEADS: Readonly<Record<Group, string>> = { user: 'Person', model: 'Model', session: 'Conversation' };

/** What was used, by day and by whom, and what is left of the quotas. */
export function Usage() {
  const { me } = useAccount();
  const [days, setDays] = useState(30);
  const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
  return (
    <>
      <SectionHead title="Usage" about="What was asked of the model, by day and by whom, what that cost, and the limits on it.">
        <label className="beside">
          <span className="not-phone">In the last</span>
          <select aria-label="In the last" value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span} days
              </option>
            ))}
          </select>
        </label>
      </SectionHead>
      <UsageByDay days={days} from={from} />
      <UsageBy from={from} />
      {me.role === 'admin' ? <Limits /> : <LimitsInForce />}
    </>
  );
}

function Limits() {
  const { client } = useAccount();
  const settings = useLoad((signal) => client.getSettings({}, { signal }), [client]);
  if (settings.error) return <ErrorNote error={settings.error} onRetry={settings.reload} />;
  if (!settings.data) return null;
  return (
    <>
      <QuotaForm quotas={settings.data.quotas} version={settings.data.version} />
      <ModelForm models={settings.data.models} version={settings.data.version} />
    </>
  );
}

const SHOWN = 50;
const NO_TITLES = Promise.resolve<ReadonlyMap<string, string>>(new Map());

/** Of the conversations that were used last. The report has those of other people as well, whose titles are not the reader's. */
async function titlesOf(client: Client, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { data } = await client.listSessions({ limit: 100 }, { signal });
  return new Map(data.flatMap(({ id, title, firstText }) => ((title ?? firstText) ? [[id, visible((title ?? firstText)!)] as const] : [])));
}

/** The same days, summed up by one thing: those with the highest cost as a table, more of them as a file. */
function UsageBy({ from }: { readonly from: string }) {
  const { client } = useAccount();
  const nameOf = usePeople();
  const action = useAction();
  const [group, setGroup] = useQuery('by');
  const [isCut, setCut] = useState(false);
  const groupBy: Group = GROUPS.find((one) => one === group) ?? 'user';
  const report = useLoad((signal) => client.getUsage({ from, groupBy, limit: SHOWN }, { signal }), [client, from, groupBy]);
  const { data: titles } = useLoad((signal) => (groupBy === 'session' ? titlesOf(client, signal) : NO_TITLES), [client, groupBy]);
  const saveAll = async (): Promise<void> => {
    const { data, to, hasMore } = await client.getUsage({ from, groupBy, limit: MOST_SUMS });
    const [heads, cellsOf] = groupBy === 'user' ? [['user', 'name'], ({ key }: Sum) => [key, nameOf(key)]] : [[groupBy], ({ key }: Sum) => [key]];
    await saveSums(`usage-by-${groupBy}-${from}-${to}.csv`, heads, data, cellsOf);
    setCut(hasMore);
  };
  const cell = (key: string) => {
    if (groupBy === 'user') return nameOf(key);
    return groupBy === 'session' ? <Link to={`/sessions/${key}`}>{titles?.get(key) ?? `Conversation ${shortId(key)}`}</Link> : visible(key);
  };
  return (
    <>
      <div className="bar usage-by">
        <h2 className="hidden">By {HEADS[groupBy].toLowerCase()}</h2>
        <div className="segments" role="group" aria-label="Sum up by">
          {GROUPS.map((one) => (
            <button key={one} type="button" aria-pressed={one === groupBy} onClick={() => setGroup(one)}>
              By {HEADS[one].toLowerCase()}
            </button>
          ))}
        </div>
        <span className="spacer" />
        <Button aria-label={`Save as CSV: by ${groupBy}`} disabled={action.isBusy} onClick={() => void action.run(saveAll)}>
          Save as CSV
        </Button>
      </div>
      <ErrorNote error={report.error ?? action.error} />
      {isCut && <p className="note warn">The file has the {count(MOST_SUMS)} with the highest cost; there are more. Choose fewer days.</p>}
      {report.data?.data.length === 0 && <Empty title="Nothing was used in these days" />}
      {report.data && report.data.data.length > 0 && (
        <SumTable label={`Usage by ${groupBy}`} heads={[HEADS[groupBy]]} sums={report.data.data} cellsOf={({ key }) => [cell(key)]} />
      )}
      {report.data?.hasMore && <p className="aside">These are the {count(SHOWN)} with the highest cost. The file has more of them.</p>}
    </>
  );
}
