import { availableParallelism } from 'node:os';

/** Whether suites are asked for that are otherwise left out: by a variable, or by a path with `part` in the arguments. */
const isAsked = (variable, part) => process.env[variable] !== undefined || process.argv.slice(2).some((argument) => argument.includes(part));

const leftOut = [
  // Kills, freezes and cut connections take as long as everything else together.
  ...(isAsked('FAULTS', 'fault') ? [] : ['<rootDir>/dist/test/fault/']),
  // A suite is `.long.` when it starts many processes or browsers, or tries everything of a kind: each row, route, page of the documentation. Half a minute or more on two cores.
  ...(isAsked('LONG_TESTS', 'long') ? [] : ['\\.long\\.spec\\.js$']),
];

/**
 * Runs the compiled output: no transform, the same code as in production; source maps lead traces back to TypeScript.
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  testPathIgnorePatterns: leftOut,
  transform: {},
  testRunner: '<rootDir>/scripts/test-runner/runner.mjs',
  globalSetup: '<rootDir>/dist/test/support/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/support/global-teardown.js',
  // A limit for what hangs, not a measure of speed: tests wait for states, however slow the machine.
  testTimeout: 900_000,
  // Most suites wait for a database, a process or a timer: on two cores, three at a time take four fifths of the time of two.
  maxWorkers: availableParallelism() + 1,
  workerIdleMemoryLimit: '1GB',
  // On a loaded machine a process that is done takes longer than the half second of the default to free all modules that it has loaded.
  workerGracefulExitTimeout: 30_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['dist/packages/**/*.js', 'dist/src/**/*.js', '!dist/src/generated/**', '!dist/src/main.js'],
};
