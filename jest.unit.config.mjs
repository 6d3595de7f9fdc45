import everything from './jest.config.mjs';

const { globalSetup, globalTeardown, ...rest } = everything;

/**
 * What needs no database: the specs beside the code, the payloads of whole conversations, and the rule of who may import whom.
 * @type {import('jest').Config}
 */
export default {
  ...rest,
  testMatch: ['<rootDir>/dist/src/**/*.spec.js', '<rootDir>/dist/test/architecture.spec.js', '<rootDir>/dist/test/view/**/*.spec.js'],
};
