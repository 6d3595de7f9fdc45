import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AREAS } from './mutants/areas.js';
import { FLOOR } from './mutants/floor.js';
import { problemOf } from './mutants/source.js';
import { VERSION } from '../src/core/version.js';

/** Compiled, this file lies in dist/test. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const rules = path.join(root, '.dependency-cruiser.cjs');
const cruiser = path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

interface Report {
  readonly violations: readonly Violation[];
  readonly totalCruised: number;
  readonly totalDependenciesCruised: number;
}

/** What the rules say about the TypeScript sources in `folder`/src. */
async function cruise(folder: string): Promise<Report> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [cruiser, 'src', '--config', rules, '--output-type', 'json'], { cwd: folder, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      // It ends with the number of violations; without a report it could not run at all.
      if (stdout.startsWith('{')) resolve(stdout);
      else reject(new Error(stderr || error?.message));
    });
  });
  return (JSON.parse(output) as { summary: Report }).summary;
}

const broken = ({ violations }: Report): readonly string[] => violations.map(({ rule, from, to }) => `${rule.name}: ${from} imports ${to}`);

it('each part imports only what it may', async () => {
  const report = await cruise(root);
  expect(broken(report)).toEqual([]);
  // A tool that cannot read TypeScript finds nothing to complain about.
  expect(report.totalCruised).toBeGreaterThan(20);
  expect(report.totalDependenciesCruised).toBeGreaterThan(report.totalCruised);
});

/** Parts of core, each with a rule of its own. */
const CORE_PARTS = (createRequire(import.meta.url)(rules) as { forbidden: { name: string; from: { path?: string } }[] }).forbidden.flatMap(({ name, from }) =>
  from.path?.startsWith('^src/core/') && name !== 'core-imports-nothing' && name.startsWith('core-') ? [name.slice('core-'.length)] : [],
);

it('every mutant can be made, of code as it is now, and none is gone', () => {
  const mutants = AREAS.flatMap((area) => area.mutants);
  expect(mutants.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  expect(new Set(mutants.map(({ file, name }) => `${file} ${name}`)).size).toBe(mutants.length);
  const known = AREAS.flatMap((area) => area.mutants.filter(({ equivalent }) => equivalent === undefined).map(({ name }) => `${area.name}: ${name}`));
  const floor = Object.entries(FLOOR).flatMap(([area, names]) => names.map((name) => `${area}: ${name}`));
  expect(floor.filter((name) => !known.includes(name))).toEqual([]);
});

it('every part of core has its floor', async () => {
  const parts = (await readdir(path.join(root, 'src/core'))).map((entry) => entry.replace(/\.ts$/, ''));
  expect(new Set(CORE_PARTS)).toEqual(new Set(parts));
});

describe('the rules', () => {
  const offences: readonly (readonly [rule: string, file: string, imported: string])[] = [
    ['core-imports-nothing', 'core/with-node.ts', 'node:crypto'],
    ['core-imports-nothing', 'core/with-package.ts', 'zod'],
    ['core-imports-nothing', 'core/with-nest.ts', '@nestjs/common'],
    ['core-imports-nothing', 'core/with-ours.ts', '../queries/read.js'],
    ...CORE_PARTS.map(
      (part) => [`core-${part}`, `core/${part}/with-a-higher-floor.ts`, part === 'ports' ? '../transfer/plan.js' : '../ports/store.js'] as const,
    ),
    ['commands-import-core', 'commands/with-adapter.ts', '../adapters/queue/jobs.js'],
    ['commands-import-core', 'commands/with-package.ts', 'pg'],
    ['queries-import-core', 'queries/with-adapter.ts', '../adapters/queue/jobs.js'],
    ['specs-in-src-stay-small', 'core/state.spec.ts', 'pg'],
    ['worker-directions', 'worker/with-http.ts', '../http/routes.js'],
    ['http-directions', 'http/with-worker.ts', '../worker/turn.js'],
    ['adapters-directions', 'adapters/queue/with-commands.ts', '../../commands/submit.js'],
    ['adapters-stand-alone', 'adapters/queue/with-store.ts', '../store/events.js'],
    ['ssrf-guard-stands-alone', 'ssrf-guard/with-config.ts', '../config/env.js'],
    ['redis-stands-alone', 'redis/with-core.ts', '../core/state.js'],
    ['child-process-stands-alone', 'child-process/with-core.ts', '../core/state.js'],
    ['config-imports-nothing-of-ours', 'config/with-core.ts', '../core/state.js'],
    ['binding-in-one-place', 'http/with-wiring.ts', '../app.module.js'],
    ['binding-in-one-place', 'http/with-command.ts', '../cli/tenant.js'],
    ['prisma-client-in-adapters', 'http/with-prisma.ts', '../generated/prisma/client.js'],
    ['imports-resolve', 'http/with-nothing.ts', './not-there.js'],
    ['no-cycles', 'worker/chicken.ts', './egg.js'],
  ];
  const allowed: readonly (readonly [file: string, imported: string])[] = [
    ['core/state.property.spec.ts', 'fast-check'],
    ['commands/submit.ts', '@nestjs/cqrs'],
    ['commands/submit.ts', '../core/state.js'],
    ['commands/submit.ts', '../config/env.js'],
    ['worker/turn.ts', '../commands/submit.js'],
    ['core/left.ts', './right.js'], // a cycle of types
    ['core/right.ts', './left.js'],
    ['http/routes.ts', '../queries/read.js'],
    ['adapters/store/events.ts', '../../core/state.js'],
    ['adapters/store/events.ts', '../../generated/prisma/client.js'],
    ['adapters/store/events.ts', './rows.js'],
    ['adapters/queue/jobs.ts', '../../ssrf-guard/fetch.js'],
    ['ssrf-guard/fetch.ts', 'ipaddr.js'],
    ['ssrf-guard/fetch.ts', 'node:https'],
    ['app.module.ts', './adapters/store/events.js'],
    ['main.ts', './app.module.js'],
    ['cli/tenant.ts', '../app.module.js'],
    ['worker/egg.ts', './chicken.js'], // the other half of the cycle, which is reported once
  ];
  const others = [
    'core/state.ts',
    'core/transfer/plan.ts',
    'core/ports/store.ts',
    'queries/read.ts',
    'adapters/queue/jobs.ts',
    'adapters/store/rows.ts',
    'config/env.ts',
    'generated/prisma/client.ts',
  ];

  let folder: string;
  let report: Report;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-architecture-'));
    const files = new Map<string, string[]>(others.map((file) => [file, []]));
    for (const [file, imported] of [...allowed, ...offences.map(([, ...offence]) => offence)]) {
      // Types count as imports, except for cycles: there only what is loaded matters.
      const line = file.startsWith('worker/') ? `export * from '${imported}';` : `import type {} from '${imported}';`;
      files.set(file, [...(files.get(file) ?? []), line]);
    }
    await writeFile(path.join(folder, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext" } }');
    for (const [file, lines] of files) {
      const place = path.join(folder, 'src', file);
      await mkdir(path.dirname(place), { recursive: true });
      await writeFile(place, [...lines, 'export {};'].join('\n'));
    }
    report = await cruise(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(offences)('%s rejects %s', (rule, file) => {
    expect(report.violations).toContainEqual(expect.objectContaining({ from: `src/${file}`, rule: expect.objectContaining({ name: rule }) }));
  });

  it('allow everything else', () => {
    const guilty = new Set(offences.map(([, file]) => `src/${file}`));
    expect(broken({ ...report, violations: report.violations.filter(({ from }) => !guilty.has(from)) })).toEqual([]);
  });

  it('are all proved here', () => {
    const { forbidden } = createRequire(import.meta.url)(rules) as { forbidden: { name: string }[] };
    expect(new Set(offences.map(([rule]) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
  });
});

it('every normalizer pass has a spec', async () => {
  const files = await readdir(path.join(root, 'src/core/normalize/passes'));
  const sources = files.filter((file) => !file.endsWith('.spec.ts'));
  const passes = await Promise.all(
    sources.map(async (file) => (/^export const \w+: Pass = /m.test(await readFile(path.join(root, 'src/core/normalize/passes', file), 'utf8')) ? [file] : [])),
  );
  expect(passes.flat().length).toBeGreaterThan(40);
  expect(passes.flat().filter((file) => !files.includes(file.replace(/\.ts$/, '.spec.ts')))).toEqual([]);
});

it('the version in the code is that of the package', async () => {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  expect(VERSION).toBe(version);
});

it('every file that docs/architecture.md names exists', async () => {
  const page = await readFile(path.join(root, 'docs/architecture.md'), 'utf8');
  const named = [...page.matchAll(/`((?:core|http|worker|commands|queries|adapters|config|prisma)\/[^`*]+)`/g)].map(([, name]) => name ?? '');
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => ![`src/${name}`, name].some((file) => existsSync(path.join(root, file))))).toEqual([]);
});
