import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled, this file lies in dist/test/start. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const { COMMANDS } = (await import(new URL('../../../bin/commands.mjs', import.meta.url).href)) as { COMMANDS: Readonly<Record<string, { does: string }>> };

function verbatim(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'bin/verbatim'), ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the command line', () => {
  it.each(['--help', '-h', 'help'])('lists every command with one line on %s', (option) => {
    const { status, stdout, stderr } = verbatim(option);
    expect([status, stderr]).toEqual([0, '']);
    const listed = [...stdout.matchAll(/^ {2}(\S+) {2,}(.+)$/gm)].map(([, name, does]) => [name, does]);
    expect(listed).toEqual(Object.entries(COMMANDS).map(([name, { does }]) => [name, does]));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it.each(Object.keys(COMMANDS))('says on %s --help how it is called, and does nothing', (name) => {
    const { status, stdout, stderr } = verbatim(name, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: verbatim ${name}\\b`));
    expect(stdout).toContain(COMMANDS[name]!.does);
  });

  it('ends with 2 for a command that does not exist, and names those that do', () => {
    expect(verbatim('tenat')).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^There is no command "tenat"\.\n[^]*^ {2}tenant /m) });
    expect(verbatim('constructor')).toMatchObject({ status: 2, stdout: '' });
    expect(verbatim()).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^No command is given\.\n[^]*^ {2}start /m) });
  });

  it.each(['tenant', 'verify', 'log', 'tlog-key', 'erase-tenant', 'freeze-tenant', 'thaw-tenant', 'export-tenant', 'restore-tenant'])(
    'ends with 2 and the usage when %s is called without what it needs',
    (name) => {
      expect(verbatim(name)).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(new RegExp(`\\.\nUsage: verbatim ${name} .+\n$`)) });
    },
  );

  it('prints the version of the package', () => {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(verbatim('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('has a file in src/cli for each command, and no other command there', () => {
    const files = readdirSync(path.join(ROOT, 'src/cli')).map((file) => file.replace(/\.ts$/, ''));
    expect(files.filter((file) => !['usage-error', 'with-database', 'with-tenant'].includes(file)).toSorted()).toEqual(
      Object.keys(COMMANDS)
        .filter((name) => !['start', 'dev'].includes(name))
        .toSorted(),
    );
  });
});
