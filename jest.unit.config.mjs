import everything from './jest.config.mjs';

const { globalSetup, globalTeardown, ...rest } = everything;

// Random input is tried, and runs are simulated, in small numbers here; `npm test` does what the specs say.
process.env.PROPERTY_SCALE ??= '0.05';
if (process.env.SIMULATION_SEED === undefined) process.env.SIMULATION_SEEDS ??= '8';

/**
 * Tests without a database: the specs beside the code, payloads of whole conversations, import rules, what features, routes and generated files must have, and a short simulation.
 * @type {import('jest').Config}
 */
export default {
  ...rest,
  maxWorkers: '100%', // they compute
  testPathIgnorePatterns: [],
  testMatch: [
    '<rootDir>/dist/packages/**/*.spec.js',
    '<rootDir>/dist/src/**/*.spec.js',
    '<rootDir>/dist/test/*.spec.js',
    '<rootDir>/dist/test/docs/{answers,blocks,pages}.spec.js',
    '<rootDir>/dist/test/released/frozen.spec.js',
    '<rootDir>/dist/test/http/open-api.spec.js',
    '<rootDir>/dist/test/http/open-api-lint.spec.js',
    '<rootDir>/dist/test/normalize/**/*.spec.js',
    '<rootDir>/dist/test/simulation/{even,odd}-seeds.long.spec.js',
  ],
};
