import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PASSES } from '../packages/normalizer/passes/index.js';
import { AREAS } from './mutants/areas.js';
import { FLOOR } from './mutants/floor.js';
import { problemOf } from './mutants/source.js';
import { SETTING_NAMES } from '../src/platform/config/env.js';
import { VERSION } from '../packages/protocol/version.js';

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

/** What the rules say about the TypeScript sources in `folder`/packages and `folder`/src. */
async function cruise(folder: string): Promise<Report> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [cruiser, 'packages', 'src', '--config', rules, '--output-type', 'json'],
      { cwd: folder, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        // It ends with the number of violations; without a report it could not run at all.
        if (stdout.startsWith('{')) resolve(stdout);
        else reject(new Error(stderr || error?.message));
      },
    );
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

const { ROOMS, FLOORS } = (
  createRequire(import.meta.url)(rules) as {
    layout: { ROOMS: readonly (readonly string[])[]; FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> };
  }
).layout;

const ruleOf = (folder: string): string => folder.replace(/^src\//, '').replaceAll('/', '-');

it('every mutant can be made, of code as it is now, and none is gone', () => {
  const mutants = AREAS.flatMap((area) => area.mutants);
  expect(mutants.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  expect(new Set(mutants.map(({ file, name }) => `${file} ${name}`)).size).toBe(mutants.length);
  const known = AREAS.flatMap((area) => area.mutants.filter(({ equivalent }) => equivalent === undefined).map(({ name }) => `${area.name}: ${name}`));
  const floor = Object.entries(FLOOR).flatMap(([area, names]) => names.map((name) => `${area}: ${name}`));
  expect(floor.filter((name) => !known.includes(name))).toEqual([]);
});

it('every room has its floor, and every part of a room with floors', async () => {
  const folders = async (parent: string): Promise<readonly string[]> =>
    (await readdir(path.join(root, parent), { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => `${parent}/${name}`);
  const others = ['src/cli', 'src/generated']; // see binding-in-one-place and prisma-client-in-stores
  expect(new Set([...ROOMS.flat(), ...others])).toEqual(new Set([...(await folders('packages')), ...(await folders('src'))]));
  for (const [room, floors] of Object.entries(FLOORS)) {
    const parts = (await readdir(path.join(root, room))).map((entry) => entry.replace(/\.ts$/, ''));
    expect([room, new Set(floors.flat())]).toEqual([room, new Set(parts)]);
  }
});

describe('the rules', () => {
  /** From a room to the one above it, and from a part to one above it. */
  const upwards = [
    ...ROOMS.slice(1).flatMap((rooms, index) => rooms.map((room) => [ruleOf(room), `${room}/upwards.ts`, `${ROOMS[index]![0]}/above.ts`] as const)),
    [ruleOf(ROOMS[0]![0]!), `${ROOMS[0]![0]}/one/upwards.ts`, 'src/app.module.ts'] as const,
    ...Object.entries(FLOORS).flatMap(([room, floors]) =>
      floors.flatMap((parts, index) =>
        parts.map(
          (part) =>
            [
              `${ruleOf(room)}-${part}`,
              `${room}/${part}/upwards.ts`,
              `${room}/${floors[Math.max(index - 1, 0)]!.find((one) => one !== part)}/above.ts`,
            ] as const,
        ),
      ),
    ),
  ];
  const offences: readonly (readonly [rule: string, file: string, imported: string])[] = [
    ...upwards,
    ['pure-rooms-import-nothing', 'packages/protocol/events/with-node.ts', 'node:crypto'],
    ['pure-rooms-import-nothing', 'packages/normalizer/with-package.ts', 'zod'],
    ['pure-rooms-import-nothing', 'src/session/state/with-nest.ts', '@nestjs/common'],
    ['features-stand-alone', 'src/features/links/with-people.ts', 'src/features/people/users.ts'],
    ['commands-import-rules', 'src/engine/commands/with-adapter.ts', 'src/platform/queue/jobs.ts'],
    ['commands-import-rules', 'src/engine/commands/with-package.ts', 'pg'],
    ['commands-import-rules', 'src/engine/queries/with-adapter.ts', 'src/engine/store/events.ts'],
    ['turns-use-ports', 'src/engine/turn/with-model.ts', 'src/engine/model/anthropic.ts'],
    ['turns-use-ports', 'src/engine/dispatch/with-queue.ts', 'src/platform/queue/jobs.ts'],
    ['specs-in-src-stay-small', 'src/session/state/state.spec.ts', 'pg'],
    ['adapters-stand-alone', 'src/engine/model/with-store.ts', 'src/engine/store/events.ts'],
    ['platform-parts-stand-alone', 'src/platform/queue/with-blobs.ts', 'src/platform/blobs/blobs.ts'],
    ['ssrf-guard-stands-alone', 'src/platform/ssrf-guard/with-config.ts', 'src/platform/config/env.ts'],
    ['redis-stands-alone', 'src/platform/redis/with-session.ts', 'src/session/state/state.ts'],
    ['child-process-stands-alone', 'src/platform/child-process/with-session.ts', 'src/session/state/state.ts'],
    ['config-imports-nothing-of-ours', 'src/platform/config/with-session.ts', 'src/session/state/state.ts'],
    ['binding-in-one-place', 'src/http/with-wiring.ts', 'src/app.module.ts'],
    ['binding-in-one-place', 'src/http/with-command.ts', 'src/cli/tenant.ts'],
    ['prisma-client-in-stores', 'src/http/with-prisma.ts', 'src/generated/prisma/client.ts'],
    ['imports-resolve', 'src/http/with-nothing.ts', './not-there.js'],
    ['no-cycles', 'src/engine/turn/chicken.ts', 'src/engine/turn/egg.ts'],
  ];
  const allowed: readonly (readonly [file: string, imported: string])[] = [
    ['src/session/state/state.property.spec.ts', 'fast-check'],
    ['src/engine/commands/submit.ts', '@nestjs/cqrs'],
    ['src/engine/commands/submit.ts', 'src/session/state/state.ts'],
    ['src/engine/commands/submit.ts', 'src/platform/config/env.ts'],
    ['src/engine/turn/turn.ts', 'src/engine/commands/submit.ts'],
    ['src/session/state/left.ts', 'src/session/state/right.ts'], // a cycle of types
    ['src/session/state/right.ts', 'src/session/state/left.ts'],
    ['src/session/decide/decide.ts', 'packages/protocol/events/events.ts'],
    ['src/http/routes.ts', 'src/engine/queries/read.ts'],
    ['src/engine/store/events.ts', 'src/session/state/state.ts'],
    ['src/engine/store/events.ts', 'src/generated/prisma/client.ts'],
    ['src/engine/store/events.ts', 'src/engine/store/rows.ts'],
    ['src/features/links/postgres-links.ts', 'src/generated/prisma/client.ts'],
    ['src/features/links/postgres-links.ts', 'src/engine/store/rows.ts'],
    ['src/engine/hooks/http-hook.ts', 'src/platform/ssrf-guard/fetch.ts'],
    ['src/platform/ssrf-guard/fetch.ts', 'ipaddr.js'],
    ['src/platform/ssrf-guard/fetch.ts', 'node:https'],
    ['src/app.module.ts', 'src/engine/store/events.ts'],
    ['src/main.ts', 'src/app.module.ts'],
    ['src/cli/tenant.ts', 'src/app.module.ts'],
    ['src/engine/turn/egg.ts', 'src/engine/turn/chicken.ts'], // the other half of the cycle, which is reported once
  ];

  /** As it is written in `file`. */
  const specifier = (file: string, imported: string): string =>
    /^(packages|src)\//.test(imported)
      ? `./${path.posix.relative(path.posix.dirname(file), imported)}`.replace(/^\.\/\.\./, '..').replace(/\.ts$/, '.js')
      : imported;

  let folder: string;
  let report: Report;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-architecture-'));
    const written = [...allowed, ...offences.map(([, ...offence]) => offence)];
    const files = new Map<string, string[]>(written.flatMap(([, imported]) => (/^(packages|src)\//.test(imported) ? [[imported, []]] : [])));
    for (const [file, imported] of written) {
      // Types count as imports, except for cycles: there only what is loaded matters.
      const line = file.startsWith('src/engine/turn/')
        ? `export * from '${specifier(file, imported)}';`
        : `import type {} from '${specifier(file, imported)}';`;
      files.set(file, [...(files.get(file) ?? []), line]);
    }
    await writeFile(path.join(folder, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext" } }');
    for (const [file, lines] of files) {
      const place = path.join(folder, file);
      await mkdir(path.dirname(place), { recursive: true });
      await writeFile(place, [...lines, 'export {};'].join('\n'));
    }
    report = await cruise(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(offences)('%s rejects %s', (rule, file) => {
    expect(report.violations).toContainEqual(expect.objectContaining({ from: file, rule: expect.objectContaining({ name: rule }) }));
  });

  it('allow everything else', () => {
    const guilty = new Set(offences.map(([, file]) => file));
    expect(broken({ ...report, violations: report.violations.filter(({ from }) => !guilty.has(from)) })).toEqual([]);
  });

  it('are all proved here', () => {
    const { forbidden } = createRequire(import.meta.url)(rules) as { forbidden: { name: string }[] };
    expect(new Set(offences.map(([rule]) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
  });
});

it('every normalizer pass has a spec, and a place in the pipeline', async () => {
  const files = await readdir(path.join(root, 'packages/normalizer/passes'));
  const sources = files.filter((file) => !file.endsWith('.spec.ts'));
  const passes = await Promise.all(
    sources.map(async (file) =>
      /^export const \w+: Pass = /m.test(await readFile(path.join(root, 'packages/normalizer/passes', file), 'utf8')) ? [file] : [],
    ),
  );
  expect(passes.flat().length).toBeGreaterThan(40);
  const missing = passes
    .flat()
    .flatMap((file) => [
      ...(files.includes(file.replace(/\.ts$/, '.spec.ts')) ? [] : [`${file}: no spec beside it`]),
      ...(PASSES.some(({ name }) => `${name}.ts` === file) ? [] : [`${file}: no place in passes/index.ts`]),
    ]);
  expect(missing).toEqual([]);
});

it('every setting is read by something besides its declaration', async () => {
  const files = (await readdir(path.join(root, 'src'), { recursive: true })).filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  const readers = files.filter((file) => file !== path.join('platform', 'config', 'env.ts'));
  const sources = await Promise.all(readers.map((file) => readFile(path.join(root, 'src', file), 'utf8')));
  const read = new Set(sources.flatMap((source) => source.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? []));
  expect(SETTING_NAMES.filter((name) => !read.has(name))).toEqual([]);
});

it('every command of a session is sent by something besides the rules that decide it', async () => {
  const types = [...(await readFile(path.join(root, 'src/session/state/commands.ts'), 'utf8')).matchAll(/readonly type: '(\w+)'/g)].map(([, type]) => type!);
  const files = (await readdir(path.join(root, 'src'), { recursive: true })).filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|^session/.test(file));
  const sources = (await Promise.all(files.map((file) => readFile(path.join(root, 'src', file), 'utf8')))).join('\n');
  expect(types.length).toBeGreaterThan(40);
  expect(types.filter((type) => !sources.includes(`'${type}'`))).toEqual([]);
});

it('the version in the code is that of the package', async () => {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  expect(VERSION).toBe(version);
});

it('every file that docs/code.md names exists', async () => {
  const named = [...(await readFile(path.join(root, 'docs/code.md'), 'utf8')).matchAll(/`((?:packages|src|prisma)\/[^`*]+)`/g)].map(([, name]) => name ?? '');
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

it('the table of docs/architecture.md has every folder of packages and src, and no other; of rooms with several subjects also those in them', async () => {
  const rows = (await readFile(path.join(root, 'docs/architecture.md'), 'utf8')).matchAll(/^\| `((?:packages|src)[\w/-]*)` \| (.*) \|$/gm);
  const table = new Map([...rows].map(([, folder = '', holds = '']) => [folder, holds]));
  const foldersIn = async (folder: string): Promise<readonly string[]> =>
    (await readdir(path.join(root, folder), { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const rooms = (await Promise.all(['packages', 'src'].map(async (top) => (await foldersIn(top)).map((name) => `${top}/${name}`)))).flat();
  expect([...table.keys()].toSorted()).toEqual(['src', ...rooms].toSorted());
  const unnamed = ['src/session', 'src/platform', 'src/engine', 'src/http'].map(async (room) =>
    (await foldersIn(room)).filter((name) => !table.get(room)!.includes(`\`${name}\``)).map((name) => `${room}/${name}`),
  );
  expect((await Promise.all(unnamed)).flat()).toEqual([]);
});
