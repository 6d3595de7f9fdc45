import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** What ends a process here; SIGHUP comes when its terminal is closed. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program in the project's root to its end, with this process's output or, `quiet`, showing its output only when it fails.
 * Resolves when it exited with 0. Any other exit code becomes this process's exit code. A signal to this process ends both.
 */
export function run(program, commandArguments, { quiet = false, env = process.env } = {}) {
  const child = spawn(program, commandArguments, { cwd: root, env, stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'] });
  const output = [];
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));

  let received;
  const end = (signal) => {
    received ??= signal;
    child.kill('SIGKILL'); // it only makes files, which the next run makes again; the compiler finishes its work first on any other signal
  };
  for (const signal of END_SIGNALS) process.on(signal, end);

  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const each of END_SIGNALS) process.off(each, end);
      if (received ?? signal) process.kill(process.pid, received ?? signal);
      else if (code === 0) resolve();
      else {
        process.stderr.write(Buffer.concat(output));
        process.exit(code);
      }
    });
  });
}
