/**
 * Who may import whom. test/architecture.spec.ts runs these rules over packages and src, and over a folder that breaks each of them.
 * docs/architecture.md has the picture.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */

/** A package, wherever it is installed, or not installed at all. */
const packages = (names) => `(^|node_modules/)(${names.join('|')})(/|$)`;

const NEST_CORE = packages(['@nestjs/common', '@nestjs/cqrs']);
const SPEC_TOOLS = packages(['@jest/globals', 'fast-check', 'sharp']);
/** A part of Node. */
const NODE = '^(node:)?(dns|http|https|net|stream)$';
const SPEC = '\\.spec\\.ts$';
const OURS = '^(packages|src|test|bench|scripts)/';

/** Top to bottom: a room imports itself and rooms on lower floors. Rooms on one floor do not import each other. */
const ROOMS = [
  ['src/features'],
  ['src/http'],
  ['src/engine'],
  ['src/platform'],
  ['src/ports'],
  ['src/session'],
  ['packages/normalizer', 'packages/proofs'],
  ['packages/protocol'],
];

/** Rooms of plain TypeScript: no package, no part of Node. */
const PURE = ['src/ports', 'src/session', 'packages/normalizer', 'packages/proofs', 'packages/protocol'];

/** The floors within a room, in the same way. */
const FLOORS = {
  'src/session': [
    ['stored-file'],
    ['decide', 'payload', 'transfer'],
    ['transcript'],
    ['compaction'],
    ['prompt'],
    ['state'],
    ['permissions', 'tenants', 'memory'],
  ],
  'packages/protocol': [['events'], ['permissions', 'hooks'], ['request'], ['message'], ['shape'], ['access', 'errors', 'gates', 'json', 'mapped', 'version']],
};

/** All of `folder` may import itself and what lies below it, of everything that is ours. */
const floor = (ruleName, folder, below, inside) => ({
  name: ruleName,
  comment: `${folder} may import: ${below.join(', ') || 'nothing of ours'}.`,
  severity: 'error',
  from: { path: `^${folder}(/|\\.ts$)`, pathNot: SPEC },
  to: { path: inside, pathNot: [folder, ...below].map((lower) => `^${lower}(/|\\.ts$)`) },
});

const under = (floors, index) => floors.slice(index + 1).flat();
const name = (folder) => folder.replace(/^src\//, '').replaceAll('/', '-');

const rooms = ROOMS.flatMap((folders, index) =>
  folders.map((folder) => floor(name(folder), folder, index < 4 ? [...under(ROOMS, index), 'src/generated'] : under(ROOMS, index), OURS)),
);

const floors = Object.entries(FLOORS).flatMap(([room, parts]) =>
  parts.flatMap((folders, index) =>
    folders.map((part) =>
      floor(
        `${name(room)}-${part}`,
        `${room}/${part}`,
        under(parts, index).map((lower) => `${room}/${lower}`),
        `^${room}/`,
      ),
    ),
  ),
);

/** The folder may import itself and what is listed, nothing else of ours, no other package, no part of Node. */
const only = (ruleName, folder, allowed, comment) => ({
  name: ruleName,
  comment,
  severity: 'error',
  from: { path: `^${folder}/`, pathNot: SPEC },
  to: { pathNot: [`^${folder}/`, ...allowed] },
});

/** What commands and queries may import besides themselves: rules, ports, settings, and the command bus. */
const RULES_AND_PORTS = ['^packages/', '^src/(session|ports)/', '^src/platform/(config|async)/', NEST_CORE];
/** Parts of the engine that load, decide, append and read through ports. */
const DRIVING = 'src/engine/(audit|commands|media|queries|slash)';
/** Parts of the engine that implement a port. */
const DRIVEN = 'attachments|hooks|images|mcp|model|plugins|skills|store|tools';

module.exports = {
  forbidden: [
    ...rooms,
    ...floors,
    {
      name: 'pure-rooms-import-nothing',
      comment: 'What a message, a session or a proof is, is plain TypeScript: no package, no node: module.',
      severity: 'error',
      from: { path: PURE.map((folder) => `^${folder}/`), pathNot: SPEC },
      to: { pathNot: PURE.map((folder) => `^${folder}/`) },
    },
    {
      name: 'features-stand-alone',
      comment: 'A feature imports what all of them stand on, never another feature.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    only(
      'commands-import-rules',
      DRIVING,
      RULES_AND_PORTS,
      'A command loads, decides and appends through ports, a query reads through them; SQL, HTTP and rules live elsewhere.',
    ),
    {
      name: 'turns-use-ports',
      comment: 'A turn sees tools, hooks, models and stores through ports.',
      severity: 'error',
      from: { path: '^src/engine/(turn|dispatch)/', pathNot: SPEC },
      to: { path: [`^src/engine/(${DRIVEN})/`, '^src/platform/(?!(config|async)/)', '^src/generated/'] },
    },
    {
      name: 'specs-in-src-stay-small',
      comment:
        'A spec beside the code needs its own room, what lies below, the test tools (sharp makes real images) and what test/support makes for it; whatever needs more belongs in test/.',
      severity: 'error',
      from: { path: `^(packages|src/(session|engine/(audit|commands|media|queries|slash)))/.*${SPEC}` },
      to: { pathNot: ['^packages/', '^src/(session|ports|engine)/', '^test/support/', SPEC_TOOLS, NEST_CORE] },
    },
    {
      name: 'adapters-stand-alone',
      comment: 'One outside system per folder; what two of them share is a port, or is passed in where it is bound.',
      severity: 'error',
      from: { path: `^src/engine/(${DRIVEN})/` },
      to: { path: '^src/engine/', pathNot: '^src/engine/$1/' },
    },
    {
      name: 'platform-parts-stand-alone',
      comment: 'Two parts of the platform share settings, queues of promises, and how connections to Postgres and Redis are made, nothing else.',
      severity: 'error',
      from: { path: '^src/platform/([^/]+)/' },
      to: { path: '^src/platform/', pathNot: '^src/platform/($1|config|async|redis|postgres)/' },
    },
    only(
      'ssrf-guard-stands-alone',
      'src/platform/ssrf-guard',
      [packages(['ipaddr.js']), NODE],
      'How addresses that others chose are called: one guard for everything that does so, and nothing else.',
    ),
    only(
      'redis-stands-alone',
      'src/platform/redis',
      ['^src/platform/config/', packages(['ioredis']), '^(node:)?(fs|net|tls)$'],
      'How connections to Redis are made: one way for the queue, the live bus and the limits.',
    ),
    only(
      'child-process-stands-alone',
      'src/platform/child-process',
      ['^(node:)?(child_process|stream|string_decoder)$'],
      'How programs are started, limited and ended: one supervisor for everything that does so.',
    ),
    {
      name: 'config-imports-nothing-of-ours',
      comment: 'Settings are read in one place and depend on nothing else.',
      severity: 'error',
      from: { path: '^src/platform/config/' },
      to: { path: OURS, pathNot: '^src/platform/config/' },
    },
    {
      name: 'binding-in-one-place',
      comment:
        'Only the files directly in src (main.ts, app.module.ts, …) and the commands in src/cli know which adapter is bound to which port; no other folder imports them.',
      severity: 'error',
      from: { path: '^(packages|src/[^/]+)/', pathNot: '^src/cli/' },
      to: { path: ['^src/[^/]+\\.ts$', '^src/cli/'] },
    },
    {
      name: 'prisma-client-in-stores',
      comment: 'The generated client is a detail of the stores that use it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(generated|platform/postgres|engine/store|features/[^/]+/(postgres-[^/]+|tenant-erasure)\\.ts$)' },
      to: { path: '^src/generated/' },
    },
    {
      name: 'no-cycles',
      comment: 'In ES modules a cycle between decorated classes fails at start. A cycle of types alone is gone by then.',
      severity: 'error',
      from: { pathNot: '^src/generated/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'imports-resolve',
      comment: 'An import that resolves to nothing would slip through every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, path: '^\\.' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/generated'] },
    tsPreCompilationDeps: true, // imports of types count
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};

// For test/architecture.spec.ts.
Object.defineProperty(module.exports, 'layout', { value: { ROOMS, FLOORS } });
