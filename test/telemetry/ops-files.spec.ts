import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { PrometheusTelemetry } from '../../src/platform/telemetry/prometheus-telemetry.js';
import { itWith, PROMTOOL } from '../support/needs.js';
import { ONE_POSTGRES } from '../support/one-postgres.js';

const withPromtool = itWith(PROMTOOL);

const exposition = async (): Promise<string> => {
  const node = { name: 'node-1:5432', isUp: true, awaySince: null, shards: 16, tenants: 3, bytes: 1 };
  const telemetry = new PrometheusTelemetry(
    { read: async () => ({ jobs: 1, oldestJobSeconds: 1, prompts: 1 }) },
    { ...ONE_POSTGRES, read: async () => [node] },
  );
  return (await telemetry.exposition()).text;
};

/** Every name that a query of PromQL can select from this exposition: a histogram has three. */
function seriesOf(text: string): ReadonlySet<string> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(types.flatMap(([, name = '', type]) => (type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name])));
}

const alerts = (): readonly string[] =>
  (parse(readFileSync('ops/alerts.yml', 'utf8')) as { groups: { rules: { expr: string }[] }[] }).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));

const dashboards = readdirSync('ops/grafana').map((name) => `ops/grafana/${name}`);
const queries = (file: string): readonly string[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as { panels: { targets: { expr: string }[] }[] }).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

const METRIC = /\b(?:verbatim|nodejs|process)_\w+/g;

describe('metrics of the operator files', () => {
  it.each([['ops/alerts.yml', alerts] as const, ...dashboards.map((file) => [file, () => queries(file)] as const)])('all exist: %s', async (_, expressions) => {
    const series = seriesOf(await exposition());
    const named = expressions().map((expression) => expression.match(METRIC) ?? []);
    expect(named.every((names) => names.length > 0)).toBe(true);
    expect(named.flat().filter((name) => !series.has(name))).toEqual([]);
  });

  withPromtool('follow the conventions of Prometheus', async () => {
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: await exposition(), encoding: 'utf8' });
    expect([checked.status, checked.stdout + checked.stderr]).toEqual([0, '']);
  });

  withPromtool('are used by valid rules', () => {
    const checked = spawnSync('promtool', ['check', 'rules', 'ops/alerts.yml'], { encoding: 'utf8' });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });

  it('are all in the table of docs/operations.md', async () => {
    const documented = readFileSync('docs/operations.md', 'utf8');
    const own = [...(await exposition()).matchAll(/^# TYPE verbatim_(\S+)/gm)].map(([, name = '']) => name);
    expect(own.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });
});
