import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { chown, lstat, mkdir, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PathResolver } from '../../src/engine/tools/files/path-resolver.js';
import { FileError } from '../../src/engine/tools/files/file-error.js';
import { FileTools } from '../../src/engine/tools/files/file-tools.js';
import type { Workspace, Workspaces } from '../../src/engine/tools/workspaces/workspaces.js';
import type { Json } from '../../packages/protocol/message/content.js';
import { callTool, makeWorkspaces } from '../support/workspace.js';

const PATHS = { parts: 1_024, depth: 256 };
const MAX_BYTES = 100_000;
const isRoot = process.getuid?.() === 0;

describe('file tools', () => {
  let workspaces: Workspaces;
  let remove: () => Promise<void>;
  let tools: FileTools;

  beforeAll(async () => {
    ({ workspaces, remove } = await makeWorkspaces());
    tools = new FileTools({ characters: 5_000, maxBytes: MAX_BYTES, maxEntries: 1_000, paths: PATHS, timeoutMs: 60_000 }, workspaces, [
      'Read',
      'Write',
      'Edit',
      'Glob',
      'Grep',
    ]);
  });
  afterAll(() => remove());

  const folder = (session: string): Promise<Workspace> => workspaces.of('tenant', session);
  const call = (session: string, name: string, input: Json, by = tools) => callTool(by, session, name, input);
  /** The text of an answer that must be a good one. */
  const good = async (session: string, name: string, input: Json): Promise<string> => {
    const outcome = await call(session, name, input);
    expect(outcome).toMatchObject({ isError: false });
    return outcome.content;
  };
  const bad = async (session: string, name: string, input: Json): Promise<string> => {
    const outcome = await call(session, name, input);
    expect(outcome).toMatchObject({ isError: true });
    return outcome.content;
  };
  /** Made by the session itself, as its shell would. */
  const own = async (session: string, name: string, content: string | Uint8Array): Promise<string> => {
    const { root, account } = await folder(session);
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
    if (account) await chown(file, account.uid, account.gid);
    return file;
  };

  it('write a file, show it with numbered lines, and edit it', async () => {
    const { root, account } = await folder('a');
    expect(await good('a', 'Write', { file_path: 'notes/today.md', content: 'one\ntwo\nthree\n' })).toContain('Created notes/today.md: 14 bytes');
    expect(await good('a', 'Read', { file_path: 'notes/today.md' })).toBe('     1\tone\n     2\ttwo\n     3\tthree');
    expect(await good('a', 'Read', { file_path: `${root}/notes/today.md`, offset: 2, limit: 1 })).toBe('     2\ttwo\n[The file continues: read from line 3]');
    expect(await good('a', 'Edit', { file_path: 'notes/today.md', old_string: 'two', new_string: "$& and $1 $'" })).toContain('in line 2');
    expect(await readFile(path.join(root, 'notes/today.md'), 'utf8')).toBe("one\n$& and $1 $'\nthree\n");
    expect(await good('a', 'Write', { file_path: 'notes/today.md', content: '' })).toContain('Replaced notes/today.md');
    expect(await good('a', 'Read', { file_path: 'notes/today.md' })).toContain('is empty');
    expect(await readdir(path.join(root, 'notes'))).toEqual(['today.md']);
    const made = await lstat(path.join(root, 'notes/today.md'));
    expect([made.mode & 0o777, made.uid, made.gid]).toEqual([0o644, account?.uid ?? process.getuid?.(), account?.gid ?? process.getgid?.()]);
  });

  it('keep the mode of a file that is replaced', async () => {
    const file = await own('b', 'run.sh', 'echo one\n');
    execFileSync('chmod', ['750', file]);
    await good('b', 'Edit', { file_path: 'run.sh', old_string: 'one', new_string: 'two' });
    expect((await lstat(file)).mode & 0o777).toBe(0o750);
  });

  it('edit only an unambiguous occurrence', async () => {
    const file = await own('c', 'f', 'a b a\n');
    expect(await bad('c', 'Edit', { file_path: 'f', old_string: 'a', new_string: 'x' })).toContain('occurs 2 times');
    expect(await bad('c', 'Edit', { file_path: 'f', old_string: 'z', new_string: 'x' })).toContain('does not occur');
    expect(await bad('c', 'Edit', { file_path: 'f', old_string: 'a', new_string: 'a' })).toContain('the same');
    expect(await bad('c', 'Edit', { file_path: 'f', old_string: '', new_string: 'a' })).toContain('must not be empty');
    expect(await readFile(file, 'utf8')).toBe('a b a\n');
    expect(await good('c', 'Edit', { file_path: 'f', old_string: 'a', new_string: 'x', replace_all: true })).toContain('2 occurrences');
    expect(await readFile(file, 'utf8')).toBe('x b x\n');
    await own('c', 'latin', Buffer.from([0xe4, 0x20, 0x61]));
    expect(await bad('c', 'Edit', { file_path: 'latin', old_string: 'a', new_string: 'x' })).toContain('not UTF-8');
    await own('c', 'bom', '\ufeffa');
    await good('c', 'Edit', { file_path: 'bom', old_string: 'a', new_string: 'b' });
    expect(await readFile(path.join((await folder('c')).root, 'bom'), 'utf8')).toBe('\ufeffb');
  });

  it('read a part of a long file, up to the requested lines', async () => {
    await own('d', 'long', Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join('\n'));
    const first = await good('d', 'Read', { file_path: 'long' });
    expect(first.length).toBeLessThan(5_100);
    const next = Number(/from line (\d+)\]$/.exec(first)?.[1]);
    expect(await good('d', 'Read', { file_path: 'long', offset: next, limit: 1 })).toContain(`line ${next}\n`);
    expect(await good('d', 'Read', { file_path: 'long', offset: 5_000 })).toBe('  5000\tline 5000');
    expect(await bad('d', 'Read', { file_path: 'long', offset: 5_001 })).toContain('its last line is 5000');
    await own('d', 'wide', `${'x'.repeat(100_000)}\nend`);
    expect(await good('d', 'Read', { file_path: 'wide' })).toMatch(/x \[98000 more characters in this line\]\n {5}2\tend$/);
  });

  it('reject files that are too large or not text', async () => {
    const large = 'x'.repeat(MAX_BYTES + 1);
    expect(await bad('e', 'Write', { file_path: 'f', content: large })).toContain('the limit is 100000');
    await own('e', 'large', large);
    expect(await bad('e', 'Edit', { file_path: 'large', old_string: 'x', new_string: 'y', replace_all: true })).toContain('can be edited');
    await own('e', 'grows', 'x'.repeat(1_000));
    expect(await bad('e', 'Edit', { file_path: 'grows', old_string: 'x', new_string: 'y'.repeat(1_000), replace_all: true })).toContain(
      'would have 1000000 bytes',
    );
    await own('e', 'image', Buffer.from([0x89, 0x50, 0, 1]));
    expect(await bad('e', 'Read', { file_path: 'image' })).toContain('is not text');
  });

  it('find files by name and by content', async () => {
    for (const [name, content] of [
      ['src/a.ts', 'const one = 1;\nconst two = 2;\n// ONE\n'],
      ['src/deep/b.ts', 'one'],
      ['README.md', 'one\n'],
      ['.git/config', 'one'],
      ['.hidden', 'one'],
    ] as const)
      await own('f', name, content);
    await own('f', 'binary', Buffer.from('one\0'));
    expect(await good('f', 'Glob', { pattern: '**/*.ts' })).toBe('src/a.ts\nsrc/deep/b.ts');
    expect(await good('f', 'Glob', { pattern: '*.{ts,md}', path: 'src' })).toBe('src/a.ts');
    expect(await good('f', 'Glob', { pattern: `${(await folder('f')).root}/src/*` })).toBe('src/a.ts');
    expect(await good('f', 'Glob', { pattern: '*.none' })).toBe('(no files match)');
    expect(await good('f', 'Grep', { pattern: '\\bone\\b' })).toBe('.hidden\nREADME.md\nsrc/a.ts\nsrc/deep/b.ts');
    expect(await good('f', 'Grep', { pattern: 'ONE', '-i': true, output_mode: 'count', glob: '*.ts' })).toBe('src/a.ts:2\nsrc/deep/b.ts:1');
    expect(await good('f', 'Grep', { pattern: '^const', output_mode: 'content', path: 'src/a.ts' })).toBe(
      'src/a.ts:1:const one = 1;\nsrc/a.ts:2:const two = 2;',
    );
    expect(await good('f', 'Grep', { pattern: 'two', output_mode: 'content', '-C': 1, glob: 'src/*.ts' })).toBe(
      'src/a.ts-1-const one = 1;\nsrc/a.ts:2:const two = 2;\nsrc/a.ts-3-// ONE',
    );
    expect(await good('f', 'Grep', { pattern: 'one', head_limit: 1 })).toContain('.hidden\n[There are more');
    expect(await good('f', 'Grep', { pattern: 'nothing like this' })).toBe('(no matches)');
    expect(await bad('f', 'Grep', { pattern: '(' })).toContain('not a valid JavaScript regular expression');
    expect(await bad('f', 'Grep', { pattern: 'x', path: 'none' })).toContain('none does not exist');
  });

  it('visit a limited number of files, and say so', async () => {
    const few = new FileTools({ characters: 5_000, maxBytes: MAX_BYTES, maxEntries: 3, paths: PATHS, timeoutMs: 60_000 }, workspaces, ['Grep', 'Glob']);
    for (const name of ['1', '2', '3', '4']) await own('m', name, 'same');
    for (const [name, pattern] of [
      ['Glob', '*'],
      ['Grep', 'same'],
    ] as const) {
      const { content } = await call('m', name, { pattern }, few);
      expect(content).toMatch(/^\d\n\d\n\d\n\[Only the first 3 files and folders were searched/);
    }
  });

  it('use bounded memory whatever a file contains', async () => {
    const wide = new FileTools({ characters: 5_000, maxBytes: 10_485_760, maxEntries: 1_000, paths: PATHS, timeoutMs: 150_000 }, workspaces, [
      'Read',
      'Grep',
      'Edit',
    ]);
    await own('n', 'lines', '\n'.repeat(10_000_000));
    expect(await call('n', 'Grep', { pattern: '^', output_mode: 'count' }, wide)).toMatchObject({ isError: false, content: 'lines:10000000' });
    expect(await call('n', 'Grep', { pattern: 'x', output_mode: 'content', '-C': 1_000 }, wide)).toMatchObject({ isError: false });
    expect(await call('n', 'Edit', { file_path: 'lines', old_string: '\n', new_string: 'x', replace_all: true }, wide)).toMatchObject({ isError: false });
    expect(await call('n', 'Read', { file_path: 'lines' }, wide)).toMatchObject({ isError: false });
  });

  it('stop a regular expression that backtracks for ever, without blocking the event loop', async () => {
    const quick = new FileTools({ characters: 5_000, maxBytes: MAX_BYTES, maxEntries: 1_000, paths: PATHS, timeoutMs: 300 }, workspaces, ['Grep', 'Glob']);
    await own('g', 'evil', `${'a'.repeat(60)}!`);
    expect(await call('g', 'Grep', { pattern: '^(a+)+$' }, quick)).toMatchObject({ isError: true, content: expect.stringContaining('longer than 300 ms') });
    const controller = new AbortController();
    const running = callTool(tools, 'g', 'Grep', { pattern: '^(a+)+$' }, { signal: controller.signal });
    // Timers of this process run while the expression does: without them nothing would interrupt it.
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1) === 20 && controller.abort(), 10);
    expect(await running).toMatchObject({ isError: true, content: 'Grep was interrupted.' });
    clearInterval(timer);
  });

  it("never leave the session's folder", async () => {
    const { root, account } = await folder('h');
    const outside = path.join(path.dirname(root), 'outside');
    await writeFile(outside, 'secret');
    await own('h', 'in/side.txt', 'inside');
    const links = {
      absolute: outside,
      relative: '../outside',
      folder: path.dirname(root),
      root: '/',
      circle: 'circle',
      fine: 'in',
      whole: `${root}/in/side.txt`,
      up: 'in/../../outside',
      dangling: '../new',
    };
    for (const [name, target] of Object.entries(links)) await symlink(target, path.join(root, name));
    for (const way of [
      outside,
      '../outside',
      'in/../../outside',
      'absolute',
      'relative',
      'folder/outside',
      'root/etc/passwd',
      'up',
      '/etc/passwd',
      `${root}x/y`,
    ]) {
      expect(await bad('h', 'Read', { file_path: way })).toContain('outside the session');
      expect(await bad('h', 'Write', { file_path: way, content: 'x' })).toContain('outside the session');
      expect(await bad('h', 'Edit', { file_path: way, old_string: 's', new_string: 't' })).toContain('outside the session');
      expect(await bad('h', 'Grep', { pattern: 'secret', path: way })).toContain('outside the session');
    }
    expect(await bad('h', 'Write', { file_path: 'dangling', content: 'x' })).toContain('outside the session');
    expect(await bad('h', 'Read', { file_path: 'circle' })).toContain('loop of symbolic links');
    expect(await bad('h', 'Glob', { pattern: '../*' })).toContain('must not contain ..');
    expect(await bad('h', 'Glob', { pattern: '/etc/*' })).toContain('is outside the folder that is searched');
    expect(await bad('h', 'Glob', { pattern: '*', path: 'folder' })).toContain('outside the session');
    expect(await good('h', 'Glob', { pattern: '**' })).toBe('in/side.txt');
    expect(await good('h', 'Grep', { pattern: 'secret' })).toBe('(no matches)');
    expect(await good('h', 'Read', { file_path: 'fine/side.txt' })).toContain('inside');
    expect(await good('h', 'Read', { file_path: 'whole' })).toContain('inside');
    await good('h', 'Write', { file_path: 'fine/new.txt', content: 'x' });
    expect(await readFile(path.join(root, 'in/new.txt'), 'utf8')).toBe('x');
    expect(await readFile(outside, 'utf8')).toBe('secret');
    if (!account) return;
    // A second name of somebody else's file, and a file of the server's that was put there.
    await writeFile(path.join(root, 'foreign'), 'secret');
    expect(await bad('h', 'Read', { file_path: 'foreign' })).toContain('belongs to another account');
    expect(await good('h', 'Grep', { pattern: 'secret' })).toBe('(no matches)');
  });

  it('open no device, and do not block on a pipe', async () => {
    const { root } = await folder('i');
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    if (isRoot) execFileSync('mknod', [path.join(root, 'zero'), 'c', '1', '5']);
    for (const name of isRoot ? ['pipe', 'zero'] : ['pipe']) {
      expect(await bad('i', 'Read', { file_path: name })).toContain('is not a regular file');
      expect(await bad('i', 'Write', { file_path: name, content: 'x' })).toContain('is not a regular file');
      expect(await good('i', 'Grep', { pattern: 'x', path: name })).toBe('(no matches)');
    }
    expect(await bad('i', 'Read', { file_path: '.' })).toContain('is a folder');
    expect(await bad('i', 'Write', { file_path: '.', content: 'x' })).toContain('is a folder');
    expect(await bad('i', 'Read', { file_path: 'none' })).toBe('none does not exist.');
  });

  it('explain an invalid input', async () => {
    expect(await bad('j', 'Read', {})).toContain('- file_path');
    expect(await bad('j', 'Read', { file_path: 'a\0b' })).toContain('NUL');
    expect(await bad('j', 'Write', { file_path: 'a', content: 3 })).toContain('- content');
    expect(await bad('j', 'Read', { file_path: `${'x'.repeat(300)}` })).toContain('a name that is too long');
    expect((await tools.offered()).map(({ name, effect }) => [name, effect])).toEqual([
      ['Read', 'read'],
      ['Write', 'edit'],
      ['Edit', 'edit'],
      ['Glob', 'read'],
      ['Grep', 'read'],
    ]);
    expect(await new FileTools({ characters: 5_000, maxBytes: 1, maxEntries: 1, paths: PATHS, timeoutMs: 1 }, workspaces, ['Read']).offered()).toHaveLength(1);
  });

  it('are not misled by folders that are swapped concurrently', async () => {
    const { root } = await folder('k');
    const secret = path.join(path.dirname(root), 'secret');
    await mkdir(secret);
    await writeFile(path.join(secret, 'f'), 'secret');
    await own('k', 'honest/f', 'honest');
    await symlink(secret, path.join(root, 'link'));
    let stopped = false;
    const swapping = (async () => {
      while (!stopped) {
        await rename(path.join(root, 'honest'), path.join(root, 'aside'));
        await rename(path.join(root, 'link'), path.join(root, 'honest'));
        await rename(path.join(root, 'honest'), path.join(root, 'link'));
        await rename(path.join(root, 'aside'), path.join(root, 'honest'));
      }
    })();
    const answers = new Set<string>();
    for (let attempt = 0; attempt < 2_000; attempt += 1) {
      const resolver = new PathResolver({ directory: root, path: root, readOnly: false, account: null }, PATHS);
      try {
        const { descriptor } = resolver.openFile(resolver.find('honest/f'), 'honest/f');
        answers.add(await readFile(`/proc/self/fd/${descriptor}`, 'utf8'));
      } catch (error) {
        answers.add(error instanceof FileError ? 'rejected' : String((error as { code?: unknown }).code));
      } finally {
        resolver.close();
      }
      if (attempt % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    stopped = true;
    await swapping;
    expect(answers).toContain('honest');
    expect(answers).not.toContain('secret');
  });

  it('hold a bounded number of descriptors, whatever links lead to', async () => {
    const root = await realpath((await folder('m')).root);
    await own('m', 'd/f', 'found');
    await symlink('d/../'.repeat(300), path.join(root, 'long'));
    await symlink('d/../'.repeat(700), path.join(root, 'bomb'));
    const opened = (): number => readdirSync('/proc/self/fd').length;
    const resolver = new PathResolver({ directory: root, path: root, readOnly: false, account: null }, PATHS);
    const before = opened();
    expect(resolver.find('long/d/f').relative).toBe('d/f');
    expect(opened()).toBe(before + 1);
    expect(() => resolver.find('bomb/d/f')).toThrow('leads through too many folders');
    expect(() => resolver.find('deep/'.repeat(300) + 'f', true)).toThrow('leads through too many folders');
    for (const limits of [
      { parts: 8, depth: 256 },
      { parts: 1_024, depth: 3 },
    ]) {
      const small = new PathResolver({ directory: root, path: root, readOnly: false, account: null }, limits);
      expect(() => small.find('deep/'.repeat(9) + 'f')).toThrow('leads through too many folders');
      small.close();
    }
    resolver.close();
    expect(opened()).toBe(before);
    await rm(path.join(root, 'deep'), { recursive: true });
  });

  it('read the files of a read-only folder by its path, and change none of them', async () => {
    const { root } = await folder('n');
    const skill = path.join(root, '..', 'skill');
    await mkdir(path.join(skill, 'scripts'), { recursive: true });
    await writeFile(path.join(skill, 'SKILL.md'), 'secret of success');
    await writeFile(path.join(skill, 'scripts/run.py'), 'print("success")');
    await symlink('/etc/passwd', path.join(skill, 'out'));
    await symlink('../SKILL.md', path.join(skill, 'scripts/in'));
    const limits = { characters: 5_000, maxBytes: 10_000, maxEntries: 100, paths: PATHS, timeoutMs: 60_000 };
    const folders = async () => [{ path: '/skills/demo', directory: await realpath(skill) }];
    const reader = new FileTools(limits, workspaces, ['Read', 'Write', 'Edit', 'Glob', 'Grep'], folders);
    const use = async (name: string, input: Json): Promise<string> => (await callTool(reader, 'n', name, input)).content;
    expect(await use('Read', { file_path: '/skills/demo/SKILL.md' })).toContain('secret of success');
    expect(await use('Read', { file_path: '/skills/demo/scripts/in' })).toContain('secret of success');
    expect(await use('Glob', { pattern: '**/*', path: '/skills/demo' })).toBe('/skills/demo/SKILL.md\n/skills/demo/scripts/run.py');
    expect(await use('Glob', { pattern: '/skills/demo/**/*.py', path: '/skills/demo' })).toBe('/skills/demo/scripts/run.py');
    expect(await use('Grep', { pattern: 'success', path: '/skills/demo', output_mode: 'content' })).toBe(
      '/skills/demo/SKILL.md:1:secret of success\n/skills/demo/scripts/run.py:1:print("success")',
    );
    expect(await use('Read', { file_path: '/skills/demo/out' })).toContain('is outside');
    expect(await use('Read', { file_path: '/skills/demo/../../etc/passwd' })).toContain('is outside');
    expect(await use('Read', { file_path: '/skills/other/SKILL.md' })).toContain('is outside');
    expect(await use('Write', { file_path: '/skills/demo/new', content: 'x' })).toBe('/skills/demo/new is read-only.');
    expect(await use('Edit', { file_path: '/skills/demo/SKILL.md', old_string: 'secret', new_string: 'x' })).toBe('/skills/demo/SKILL.md is read-only.');
  });

  it('resolve paths as the system does, or reject them', async () => {
    const root = await realpath((await folder('l')).root);
    for (const name of ['a/b/c', 'a/d']) await own('l', name, name);
    for (const [name, target] of [
      ['a/b/up', '..'],
      ['to', 'a/b'],
      ['self', '.'],
      ['out', '../..'],
      ['abs', path.join(root, 'a')],
    ] as const)
      await symlink(target, path.join(root, name));
    const part = fc.constantFrom('a', 'b', 'c', 'd', 'up', 'to', 'self', 'out', 'abs', '.', '..', '', 'none');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
        const asked = parts.join('/');
        const resolver = new PathResolver({ directory: root, path: root, readOnly: false, account: null }, PATHS);
        try {
          const found = path.join(root, resolver.find(asked).relative);
          const real = await realpath(
            asked.startsWith('/') ? asked : path.join(root, '.', ...asked.split('/').map((name) => name || '.')).replace(/^$/, '.'),
          ).catch(() => null);
          if (real !== null && !asked.includes('..')) expect(found).toBe(real);
          expect(found === root || found.startsWith(`${root}/`)).toBe(true);
        } catch (error) {
          if (!(error instanceof FileError)) throw error;
        } finally {
          resolver.close();
        }
      }),
      { numRuns: 300 },
    );
    await rm(path.join(root, 'a'), { recursive: true });
  });
});
