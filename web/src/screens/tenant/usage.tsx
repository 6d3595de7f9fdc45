import type { AnswerOf } from '@verbatim/client';
import { useState } from 'react';
import { useAccount } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { Link, useQuery } from '../../app/router.tsx';
import { bytes, count, dollars, fullTime, short } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/parts.tsx';
import { type Column, Plot } from './plot.tsx';
import { ModelForm } from './model-form.tsx';
import { QuotaForm } from './quota-form.tsx';

type Report = AnswerOf<'getUsage'>;
type Group = Report['groupBy'];

const GROUPS: readonly Group[] = ['user', 'model', 'session'];
const MEASURES = {
  tokens: ['Tokens', (one: Report['total']) => one.inputTokens + one.outputTokens + one.cacheReadTokens + one.cacheCreationTokens, short],
  cost: ['Cost', (one: Report['total']) => one.cost, dollars],
  prompts: ['Prompts', (one: Report['total']) => one.prompts, count],
} as const;

const COLUMNS: readonly (readonly [label: string, inWords: (one: Report['total']) => string])[] = [
  ['Prompts', ({ prompts }) => count(prompts)],
  ['Requests', ({ requests }) => count(requests)],
  ['Tokens in', ({ inputTokens, cacheCreationTokens }) => count(inputTokens + cacheCreationTokens)],
  ['From the cache', ({ cacheReadTokens }) => count(cacheReadTokens)],
  ['Tokens out', ({ outputTokens }) => count(outputTokens)],
  ['Cost', ({ cost }) => dollars(cost)],
];

/** What was used, by day and by whom, and what is left of the quotas. */
export function Usage() {
  const { client, me } = useAccount();
  const [days, setDays] = useState(30);
  const [measure, setMeasure] = useState<keyof typeof MEASURES>('tokens');
  const [group, setGroup] = useQuery('by');
  const groupBy = GROUPS.find((one) => one === group) ?? 'user';
  const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
  const byDay = useLoad((signal) => client.getUsage({ from, groupBy: 'day', limit: days }, { signal }), [client, from]);
  const byGroup = useLoad((signal) => client.getUsage({ from, groupBy, limit: 50 }, { signal }), [client, from, groupBy]);
  if (byDay.error) return <ErrorNote error={byDay.error} onRetry={byDay.reload} />;
  if (!byDay.data) return <Loading what="the usage" />;
  const [, valueOf, inWords] = MEASURES[measure];
  const known = new Map(byDay.data.data.map((one) => [one.key, valueOf(one)]));
  const columns: readonly Column[] = daysFrom(from, days).map((day) => ({ label: day, value: known.get(day) ?? 0 }));
  return (
    <>
      <Quotas />
      {me.role === 'admin' && <QuotaForm />}
      {me.role === 'admin' && <ModelForm />}
      <section className="card" aria-label="Usage by day">
        <div className="bar">
          <h2>{inWords(valueOf(byDay.data.total))}</h2>
          <span className="aside">
            in {days} days: {count(byDay.data.total.prompts)} prompts, {count(byDay.data.total.requests)} requests, {dollars(byDay.data.total.cost)}
          </span>
          <span className="spacer" />
          <label>
            Measure
            <select value={measure} onChange={(event) => setMeasure(event.target.value as keyof typeof MEASURES)}>
              {Object.entries(MEASURES).map(([key, [label]]) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label>
            Days
            <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
              <option value={7}>7</option>
              <option value={30}>30</option>
              <option value={90}>90</option>
            </select>
          </label>
        </div>
        <Plot columns={columns} inWords={inWords} label={`${MEASURES[measure][0]} by day`} />
      </section>
      <div className="chips" role="group" aria-label="Sum up by">
        {GROUPS.map((one) => (
          <button key={one} type="button" className="chip" aria-pressed={one === groupBy} onClick={() => setGroup(one)}>
            by {one}
          </button>
        ))}
      </div>
      <ErrorNote error={byGroup.error} />
      {byGroup.data && <Rows report={byGroup.data} />}
    </>
  );
}

function Rows({ report }: { readonly report: Report }) {
  const nameOf = usePeople();
  if (report.data.length === 0) return <Empty title="Nothing was used in these days" />;
  const cell = (key: string) => {
    if (report.groupBy === 'user') return nameOf(key);
    return report.groupBy === 'session' ? <Link to={`/sessions/${key}`}>{key.slice(0, 8)}</Link> : visible(key);
  };
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{report.groupBy}</th>
          {COLUMNS.map(([label]) => (
            <th key={label} scope="col" className="number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {report.data.map((one) => (
          <tr key={one.key}>
            <th scope="row">{cell(one.key)}</th>
            {COLUMNS.map(([label, inWords]) => (
              <td key={label} className="number" data-label={label}>
                {inWords(one)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const QUOTAS = {
  promptsPerDay: 'Prompts today',
  tokensPerDay: 'Tokens today',
  dollarsPerDay: 'Dollars today',
  sessions: 'Conversations',
  storageBytes: 'Storage',
} as const;

function Quotas() {
  const { client } = useAccount();
  const { data } = useLoad((signal) => client.listQuotas({}, { signal }), [client]);
  if (!data || data.data.length === 0) return null;
  return (
    <section className="facts" aria-label="Quotas">
      {data.data.map(({ scope, quota, limit, used }) => (
        <section key={scope + quota}>
          <h2>
            {QUOTAS[quota]} ({scope === 'user' ? 'yours' : 'of the tenant'})
          </h2>
          <p>{quota === 'storageBytes' ? `${bytes(used)} of ${bytes(limit)}` : `${count(used)} of ${count(limit)}`}</p>
          <div className="meter" role="img" aria-label={`${Math.round((100 * used) / limit)} % used`}>
            <span className={used >= limit ? 'full' : 'read'} style={{ width: `${Math.min(100, (100 * used) / limit)}%` }} />
          </div>
          {quota.endsWith('PerDay') && <p className="aside">renewed {fullTime(data.resetsAt)}</p>}
        </section>
      ))}
    </section>
  );
}

function daysFrom(first: string, days: number): readonly string[] {
  return Array.from({ length: days }, (_, index) => new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10));
}
