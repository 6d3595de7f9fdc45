import everything from './jest.config.mjs';

const { globalSetup, globalTeardown, ...rest } = everything;

/**
 * Tests without a database: the specs beside the code, payloads of whole conversations, import rules, and the simulation.
 * @type {import('jest').Config}
 */
export default {
  ...rest,
  testMatch: [
    '<rootDir>/dist/src/**/*.spec.js',
    '<rootDir>/dist/test/architecture.spec.js',
    '<rootDir>/dist/test/normalize/**/*.spec.js',
    '<rootDir>/dist/test/simulation/**/*.spec.js',
  ],
};
