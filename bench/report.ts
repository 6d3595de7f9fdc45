/** Prints figures as tables. A row: a label, then cells. */
export type Row = readonly [label: string, ...cells: readonly string[]];

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function figures(label: string, values: readonly number[]): Row {
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(values, share).toFixed(1));
  return [label, `p50 ${p50}`, `p90 ${p90}`, `p99 ${p99}`];
}

export function table(title: string, rows: readonly Row[]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, ...cells]) => `  ${label.padEnd(width)}  ${cells.map((cell) => cell.padStart(11)).join(' ')}`.trimEnd());
  process.stdout.write(`\n${title}\n${lines.join('\n')}\n`);
}
