// What suites import from '@jest/globals': the functions of the suite that is running, also in modules that an earlier one has loaded.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { ModuleMocker } = require('jest-mock');
const { ModernFakeTimers } = require('@jest/fake-timers');

let current = {};

export function useGlobals(globals) {
  current = globals;
}

const delegate = (name) =>
  new Proxy(() => undefined, {
    apply: (_, __, given) => current[name](...given),
    get: (_, member) => current[name][member],
  });

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ config: { fakeTimers: {}, rootDir: process.cwd(), testMatch: [] }, global: globalThis });

export const [describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect] = [
  ...['describe', 'it', 'test', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach', 'expect'],
].map(delegate);

/** A suite that has ended leaves no mock and no clock to the next one. */
export function restoreGlobals() {
  mocker.restoreAllMocks();
  timers.useRealTimers();
}

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
};
