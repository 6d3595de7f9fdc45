/**
 * Runs the compiled output: no transform, the same code as in production; source maps lead traces back to TypeScript.
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  transform: {},
  globalSetup: '<rootDir>/dist/test/support/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/support/global-teardown.js',
  // A limit for what hangs, not a measure of speed: tests wait for states, however slow the machine.
  testTimeout: 180_000,
  maxWorkers: '100%', // most suites wait for a database, a process or a timer
  workerIdleMemoryLimit: '1GB',
  coverageProvider: 'v8',
  collectCoverageFrom: ['dist/src/**/*.js', '!dist/src/generated/**', '!dist/src/main.js'],
};
