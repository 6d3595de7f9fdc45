// Runs a suite as Jest's own runner does, but loads its modules by Node's `import`, once per worker process, in place of once per suite by Jest's module registry. So modules are shared by the suites that one worker process runs, as they are by the servers of one process. The environment variables are those of the start again after each suite.
import { readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { clearTimeout, setTimeout } from 'node:timers';
import { pathToFileURL } from 'node:url';
import { restoreGlobals, useGlobals } from './globals.mjs';

register('./globals-hook.mjs', import.meta.url);
const require = createRequire(import.meta.url);
const { default: runWithCircus } = require('jest-circus/runner');

/** Where Jest's test framework keeps what listens to its events. It would keep those of earlier suites. */
const LISTENERS = Symbol.for('EVENT_HANDLERS');

/** A test that takes longer is named while it runs: the output of a run that was ended from outside still says which test it waited for. */
const NAMED_AFTER_MS = 120_000;

/** @type {import('@jest/types').TestFramework} */
export default async function run(globalConfig, config, environment, runtime, testPath, send) {
  // Only Jest's module registry can replace a module, load one again after it was changed, and tell what of it was run.
  const { watch, watchAll, collectCoverage } = globalConfig;
  const needsRegistry = watch || watchAll || collectCoverage || readFileSync(testPath, 'utf8').includes('unstable_mockModule(');
  if (needsRegistry) return runWithCircus(globalConfig, config, environment, runtime, testPath, send);
  const variables = { ...process.env };
  const running = new Map();
  const sendAndName = (event, args) => {
    const { fullName } = args[1] ?? {};
    if (event === 'test-case-start')
      running.set(
        fullName,
        setTimeout(() => process.stderr.write(`STILL RUNNING after ${NAMED_AFTER_MS / 1_000} s: ${fullName}\n`), NAMED_AFTER_MS),
      );
    if (event === 'test-case-result') clearTimeout(running.get(fullName));
    return send?.(event, args);
  };
  try {
    return await runWithCircus(globalConfig, config, environment, native(runtime), testPath, sendAndName);
  } finally {
    for (const timer of running.values()) clearTimeout(timer);
    restoreGlobals();
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(variables, name)) delete process.env[name];
    Object.assign(process.env, variables);
  }
}

/** Jest's runtime with Node's modules. */
function native(runtime) {
  const own = {
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (file) => import(pathToFileURL(file).href),
    requireInternalModule: (file) => {
      delete globalThis[LISTENERS];
      delete require.cache[file];
      return require(file);
    },
    setGlobalsForRuntime: useGlobals,
  };
  return new Proxy(runtime, {
    get(target, name) {
      const value = Object.hasOwn(own, name) ? own[name] : target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
