/**
 * Who may import whom. test/architecture.spec.ts runs these rules over src, and over a folder that breaks each of them.
 *
 *   http ───┬──> commands ──┐
 *   worker ─┤               ├──> core <── adapters        main → app.module → everything (binding only)
 *           └──> queries ───┘                             config <── all but core                  ssrf-guard, child-process, redis <── adapters
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

/** The folder may import itself and what is listed, nothing else of ours, no other package, no part of Node. */
const only = (name, folder, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: SPEC },
  to: { pathNot: [`^src/${folder}/`, ...allowed] },
});

/** The floors of core, top to bottom: a part imports only what stands on a lower floor. Parts on one floor do not import each other. */
const CORE_FLOORS = [
  ['transfer', 'ports'],
  ['decide', 'normalize'],
  ['transcript', 'verification'],
  ['compaction'],
  ['prompt', 'api-rules', 'tenants'],
  ['session'],
  ['permissions'],
  ['hooks', 'media'],
  ['models'],
  ['message'],
  ['access', 'async', 'errors', 'gates', 'proofs', 'version'],
];

const coreFloors = CORE_FLOORS.flatMap((parts, floor) =>
  parts.map((part) => ({
    name: `core-${part}`,
    comment: `core/${part} may import: ${
      CORE_FLOORS.slice(floor + 1)
        .flat()
        .join(', ') || 'nothing'
    }.`,
    severity: 'error',
    from: { path: `^src/core/${part}[./]`, pathNot: SPEC },
    to: {
      path: '^src/core/',
      pathNot: [
        `^src/core/${part}[./]`,
        ...CORE_FLOORS.slice(floor + 1)
          .flat()
          .map((lower) => `^src/core/${lower}[./]`),
      ],
    },
  })),
);

/** As `only`, but any package and any part of Node will do. */
const onlyOurs = (name, folder, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^(src|test|bench|scripts)/', pathNot: [`^src/${folder}/`, ...allowed.map((other) => `^src/${other}/`)] },
});

module.exports = {
  forbidden: [
    only('core-imports-nothing', 'core', [], 'The product is plain TypeScript: no package, no node: module, nothing of ours outside core.'),
    ...coreFloors,
    only(
      'commands-import-core',
      'commands',
      ['^src/core/', '^src/config/', NEST_CORE],
      'A command loads, decides and appends through ports; SQL, HTTP and rules live elsewhere.',
    ),
    only('queries-import-core', 'queries', ['^src/core/', '^src/config/', NEST_CORE], 'A query reads through ports and answers with what core makes of it.'),
    {
      name: 'specs-in-src-stay-small',
      comment:
        'A spec beside the code needs its own folder, core, the test tools (sharp makes real images) and what test/support makes for it; whatever needs more belongs in test/.',
      severity: 'error',
      from: { path: `^src/(core|commands|queries)/.*${SPEC}` },
      to: { pathNot: ['^src/(core|commands|queries)/', '^test/support/', SPEC_TOOLS, NEST_CORE] },
    },
    onlyOurs('worker-directions', 'worker', ['core', 'commands', 'queries', 'config'], 'A job comes in, commands go out; adapters come through ports.'),
    onlyOurs('http-directions', 'http', ['core', 'commands', 'queries', 'config', 'redis'], 'Routes parse and answer; adapters come through ports.'),
    onlyOurs(
      'adapters-directions',
      'adapters',
      ['core', 'config', 'adapters', 'generated', 'ssrf-guard', 'child-process', 'redis'],
      'An adapter implements a port and does not know its users.',
    ),
    {
      name: 'adapters-stand-alone',
      comment: 'One outside system per adapter; what two of them share is a port, is passed in by app.module.ts, or is how a connection to Postgres is made.',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/adapters/[^/]+/', pathNot: '^src/adapters/($1|postgres/connection)/' },
    },
    only(
      'ssrf-guard-stands-alone',
      'ssrf-guard',
      [packages(['ipaddr.js']), NODE],
      'How addresses that others chose are called: one guard for every adapter that does so, and nothing else.',
    ),
    only(
      'redis-stands-alone',
      'redis',
      ['^src/config/', packages(['ioredis']), '^(node:)?(fs|net|tls)$'],
      'How connections to Redis are made: one way for the queue, the live bus and the limits.',
    ),
    only(
      'child-process-stands-alone',
      'child-process',
      ['^(node:)?(child_process|stream|string_decoder)$'],
      'How programs are started, limited and ended: one supervisor for every adapter that does so.',
    ),
    onlyOurs('config-imports-nothing-of-ours', 'config', [], 'Settings are read in one place and depend on nothing else.'),
    {
      name: 'binding-in-one-place',
      comment:
        'Only the files directly in src (main.ts, app.module.ts, …) and the commands in src/cli know which adapter is bound to which port; no other folder imports them.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/cli/' },
      to: { path: ['^src/[^/]+\\.ts$', '^src/cli/'] },
    },
    {
      name: 'prisma-client-in-adapters',
      comment: 'The generated client is a detail of the adapters that use it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(adapters|generated)/' },
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
