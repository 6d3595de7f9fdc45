import type { AnswerOf } from '@verbatim/client';
import type { ReactNode } from 'react';
import { count, dollars } from '../../app/words.ts';
import { csvOf } from '../../text/csv.ts';
import { save } from '../../ui/save.ts';

export type Report = AnswerOf<'getUsage'>;
export type Sum = Report['data'][number];
export type Total = Report['total'];

/** Most entries that the server gives at once. */
export const MOST_SUMS = 1_000;

const COLUMNS: readonly (readonly [label: string, inWords: (one: Total) => string])[] = [
  ['Prompts', ({ prompts }) => count(prompts)],
  ['Requests', ({ requests }) => count(requests)],
  // As a request counts them: what the cache gave is a part of what went in.
  ['Tokens in', ({ inputTokens, cacheCreationTokens, cacheReadTokens }) => count(inputTokens + cacheCreationTokens + cacheReadTokens)],
  ['Of it from the cache', ({ cacheReadTokens }) => count(cacheReadTokens)],
  ['Tokens out', ({ outputTokens }) => count(outputTokens)],
];

interface Props {
  readonly label: string;
  /** Columns before the sums. */
  readonly heads: readonly string[];
  readonly sums: readonly Sum[];
  readonly cellsOf: (sum: Sum) => readonly ReactNode[];
}

/** Sums of usage, a row each. */
export function SumTable({ label, heads, sums, cellsOf }: Props) {
  const costInWords = costsOf(sums);
  return (
    <table className="table by-three" aria-label={label}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
          {[...COLUMNS.map(([head]) => head), 'Cost'].map((head) => (
            <th key={head} scope="col" className="number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sums.map((sum) => {
          const [first, ...others] = cellsOf(sum);
          return (
            <tr key={`${sum.key} ${sum.model ?? ''}`}>
              <th scope="row">{first}</th>
              {others.map((cell, index) => (
                <td key={heads[index + 1]} data-label={heads[index + 1]}>
                  {cell}
                </td>
              ))}
              {COLUMNS.map(([head, inWords]) => (
                <td key={head} className="number" data-label={head}>
                  {inWords(sum)}
                </td>
              ))}
              <td className="number" data-label="Cost">
                {costInWords(sum.cost)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const MOST_DIGITS = 4;

/** Costs with as many digits as the one that needs the most, so that their points stand below each other; what would be nothing then has its own. */
function costsOf(sums: readonly Sum[]): (cost: number) => string {
  const digits = Math.max(2, ...sums.map(({ cost }) => Math.min(MOST_DIGITS, dollars(cost).split('.')[1]?.length ?? 0)));
  return (cost) => (cost === 0 || cost >= 10 ** -digits ? `$${cost.toFixed(digits)}` : dollars(cost));
}

const SAVED = ['prompts', 'requests', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'cost'] as const;

/** Saves sums as a file for spreadsheets, with the members of the API as columns. */
export function saveSums(name: string, heads: readonly string[], sums: readonly Sum[], cellsOf: (sum: Sum) => readonly string[]): Promise<void> {
  const rows = sums.map((sum) => [...cellsOf(sum), ...SAVED.map((member) => sum[member])]);
  return save(new Response(csvOf([[...heads, ...SAVED], ...rows]), { headers: { 'content-type': 'text/csv; charset=utf-8' } }), name);
}
