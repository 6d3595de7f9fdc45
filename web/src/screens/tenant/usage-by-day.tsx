import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { count, dayOf, dollars, short } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';
import { COLOURS, type Series, StackedPlot, sum } from './stacked-plot.tsx';
import { MOST_SUMS, type Report, saveSums, type Sum, SumTable, type Total } from './usage-sums.tsx';

/** How each is called, read, written, and the smallest step of its axis. */
const MEASURES = {
  tokens: ['Tokens', (one: Total) => one.inputTokens + one.outputTokens + one.cacheReadTokens + one.cacheCreationTokens, short, 1],
  cost: ['Cost', (one: Total) => one.cost, dollars, 0],
  prompts: ['Prompts', (one: Total) => one.prompts, count, 1],
} as const;

interface Props {
  readonly days: number;
  /** The first of them. */
  readonly from: string;
}

/** What each model was used for on each day: as columns, as a table and as a file. */
export function UsageByDay({ days, from }: Props) {
  const client = useClient();
  const [measure, setMeasure] = useState<keyof typeof MEASURES>('tokens');
  const report = useLoad((signal) => client.getUsage({ from, groupBy: 'dayAndModel', limit: MOST_SUMS }, { signal }), [client, from]);
  const [label, valueOf, inWords, step] = MEASURES[measure];
  const total = report.data?.total;
  return (
    <section className="card" aria-label="Usage by day and model">
      <div className="usage-head">
        <div>
          <h2>By day and model</h2>
          <p className="aside">
            {dayOf(from)} to today{total && `: ${count(total.prompts)} prompts, ${count(total.requests)} requests, ${dollars(total.cost)}`}
          </p>
        </div>
        <label className="beside">
          Measure
          <select value={measure} onChange={(event) => setMeasure(event.target.value as keyof typeof MEASURES)}>
            {Object.entries(MEASURES).map(([key, [name]]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {report.error ? <ErrorNote error={report.error} onRetry={report.reload} /> : !report.data && <Loading what="the usage" />}
      {total && (
        <p className="usage-figure">
          <strong>{inWords(valueOf(total))}</strong>
          <span className="aside">
            {measure === 'cost' ? '' : measure} in {days} days{' '}
          </span>
          {report.data && <Forecast values={daysFrom(from, days).map((day) => sum(valuesOf(report.data!, day, valueOf)))} inWords={inWords} />}
        </p>
      )}
      {report.data && <Days report={report.data} days={daysFrom(from, days)} measure={{ label, valueOf, inWords, step }} from={from} />}
    </section>
  );
}

const valuesOf = ({ data }: Report, day: string, valueOf: (one: Total) => number): readonly number[] => data.filter(({ key }) => key === day).map(valueOf);

/** So many whole days make a pace. */
const PACE_DAYS = 7;

/** In words, where the last whole days lead: today, the last of the values, is not over. */
function Forecast({ values, inWords }: { readonly values: readonly number[]; readonly inWords: (value: number) => string }) {
  const past = values.slice(0, -1);
  const pace = sum(past.slice(-PACE_DAYS)) / Math.min(PACE_DAYS, past.length);
  if (!(pace > 0)) return null;
  const before = past.slice(-2 * PACE_DAYS, -PACE_DAYS);
  const change = before.length < PACE_DAYS || sum(before) === 0 ? null : Math.round((100 * pace * PACE_DAYS) / sum(before) - 100);
  const round = (value: number): string => inWords(value >= 100 ? Math.round(value) : value);
  return (
    <span className="aside forecast">
      {round(pace)} a day in the last {Math.min(PACE_DAYS, past.length)} whole days
      {change !== null && (change === 0 ? ', as in the week before' : `, ${Math.abs(change)} % ${change > 0 ? 'more' : 'less'} than in the week before`)}. At
      this pace: about <strong>{round(30 * pace)}</strong> in the next 30 days.
    </span>
  );
}

interface DaysProps {
  readonly report: Report;
  readonly days: readonly string[];
  readonly measure: { readonly label: string; readonly valueOf: (one: Total) => number; readonly inWords: (value: number) => string; readonly step: number };
  readonly from: string;
}

function Days({ report: { data, to, hasMore }, days, measure: { label, valueOf, inWords, step }, from }: DaysProps) {
  return (
    <>
      {hasMore && <p className="note warn">Only the first {count(MOST_SUMS)} sums are shown and saved, and later days are missing. Choose fewer days.</p>}
      <StackedPlot label={`${label} by day and model`} days={days} series={seriesOf(data, days, valueOf)} inWords={inWords} step={step} />
      <div className="plot-foot">
        <details>
          <summary>As a table</summary>
          <SumTable label="Usage by day and model" heads={['Day', 'Model']} sums={data} cellsOf={({ key, model }) => [key, visible(model ?? '')]} />
        </details>
        <Button
          aria-label="Save as CSV: by day and model"
          onClick={() => void saveSums(`usage-${from}-${to}.csv`, ['day', 'model'], data, ({ key, model }) => [key, model ?? ''])}
        >
          Save as CSV
        </Button>
      </div>
    </>
  );
}

/** The models with the most first; those without a colour of their own together. */
function seriesOf(sums: readonly Sum[], days: readonly string[], valueOf: (one: Total) => number): readonly Series[] {
  const values = new Map<string, number[]>();
  for (const one of sums) {
    const name = one.model ?? '';
    const row = values.get(name) ?? days.map(() => 0);
    const at = days.indexOf(one.key);
    if (at >= 0) row[at] = valueOf(one);
    values.set(name, row);
  }
  const series = [...values].map(([name, row]) => ({ name: visible(name), values: row })).sort((one, other) => sum(other.values) - sum(one.values));
  if (series.length <= COLOURS) return series;
  const others = series.slice(COLOURS - 1);
  return [...series.slice(0, COLOURS - 1), { name: `${others.length} others`, values: days.map((_, at) => sum(others.map((one) => one.values[at] ?? 0))) }];
}

const daysFrom = (first: Report['from'], days: number): readonly string[] =>
  Array.from({ length: days }, (_, index) => new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10));
