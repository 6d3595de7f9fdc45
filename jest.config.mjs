import { availableParallelism } from 'node:os';

// Kills, freezes and cut connections take as long as everything else together: they run when a number of random faults is given, or one of these suites.
const hasFaults = process.env.FAULTS !== undefined || process.argv.slice(2).some((argument) => argument.includes('fault'));

/**
 * Runs the compiled output: no transform, the same code as in production; source maps lead traces back to TypeScript.
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  testPathIgnorePatterns: hasFaults ? [] : ['<rootDir>/dist/test/fault/'],
  transform: {},
  testRunner: '<rootDir>/scripts/test-runner/runner.mjs',
  globalSetup: '<rootDir>/dist/test/support/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/support/global-teardown.js',
  // A limit for what hangs, not a measure of speed: tests wait for states, however slow the machine.
  testTimeout: 900_000,
  // Most suites wait for a database, a process or a timer: on two cores, three at a time take four fifths of the time of two.
  maxWorkers: availableParallelism() + 1,
  workerIdleMemoryLimit: '1GB',
  coverageProvider: 'v8',
  collectCoverageFrom: ['dist/packages/**/*.js', 'dist/src/**/*.js', '!dist/src/generated/**', '!dist/src/main.js'],
};
