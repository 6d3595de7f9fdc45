import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '../database-error.js';

const run = promisify(execFile);
const HAS_PROC = existsSync('/proc/self/stat');

/** The arguments of a live process, separated by spaces; undefined when there is no such process. A zombie counts as none. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (!HAS_PROC) return ps(pid, 'command');
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return text.replaceAll('\0', ' ').trim() || undefined;
}

/** A number that distinguishes a process from a later one with the same pid: its start time. Undefined when there is no live process. */
export async function startMark(pid: number): Promise<number | undefined> {
  if (!HAS_PROC) {
    const started = await ps(pid, 'lstart');
    return started === undefined ? undefined : Date.parse(started);
  }
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' '); // the preceding field, the name, may contain spaces
  if (!state || state === 'Z' || state === 'X') return undefined;
  return Number(fields[18]); // clock ticks between boot and start
}

/** Cheap: called several times a second. */
export async function isAlive(pid: number): Promise<boolean> {
  if (HAS_PROC) return (await startMark(pid)) !== undefined;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM'; // alive, under another account
  }
}

async function ps(pid: number, column: string): Promise<string | undefined> {
  const { stdout } = await run('ps', ['-ww', '-p', String(pid), '-o', `${column}=`]).catch(() => ({ stdout: '' }));
  return stdout.trim() || undefined;
}
