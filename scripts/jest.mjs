// Jest on the compiled ES modules: it needs a flag for them and then warns about that flag.
// Takes Jest's own arguments and ends with its exit code.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

const jestManifest = createRequire(import.meta.url).resolve('jest/package.json');
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    '--enable-source-maps',
    path.join(path.dirname(jestManifest), 'bin', 'jest.js'),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);

// A signal from the terminal reaches both of us; Jest decides, so that its teardown can run.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
jest.on('exit', (code) => process.exit(code ?? 1));
