import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { parse } from 'yaml';
import { SKILLS_PATH } from '../../src/engine/skills/installed-skills.js';
import { SETTING_NAMES } from '../../src/platform/config/env.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { ServerProcess } from '../support/process.js';

/** Compiled, this file lies in dist/test/start. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let database: TestDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

describe('a start', () => {
  it.each(['SKILLS_DIR', 'PLUGINS_DIR'])('fails when %s is no folder', (name) => {
    const { status, stderr } = spawnSync(process.execPath, ['dist/src/main.js'], { cwd: ROOT, env: { [name]: '/nope' }, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, `The settings are not usable:\n  ${name}: /nope is not a folder that this process can read\n`]);
  });

  it('says which settings are misspelt, and that it does not know the model', async () => {
    const server = await ServerProcess.start({ DATABASE_URL: database.ownerUrl, MODLE: 'claude-opus-5', MODEL: 'claude-opus-99' });
    // On standard error and in the log: two pipes, of which either may be read first.
    await server.said(/MODLE is not a setting and has no effect\. Did you mean MODEL\?/);
    await server.said(/"warn".*claude-opus-99 is not a model that this version knows/);
    await server.stop();
  });
});

describe('the image', () => {
  let image: string;

  /** What the Dockerfile copies into its last stage. */
  beforeAll(() => {
    image = mkdtempSync(path.join(tmpdir(), 'verbatim-image-'));
    for (const name of ['package.json', 'bin', 'dist/packages', 'dist/src', 'prisma/migrations', 'prisma/functions'])
      cpSync(path.join(ROOT, name), path.join(image, name), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(image, 'node_modules'));
  });
  afterAll(() => rmSync(image, { recursive: true, force: true }));

  const tenant = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['bin/verbatim', 'tenant', ...args], { cwd: image, env: { DATABASE_URL: database.ownerUrl }, encoding: 'utf8' });

  it('creates tenants, the first one once, and prints tokens and sign-in links that work', async () => {
    const first = tenant('--if-none', 'first tenant', 'first user');
    expect([first.status, first.stderr]).toEqual([0, '']);
    const again = tenant('--if-none', 'first tenant', 'first user');
    expect([again.status, again.stdout]).toEqual([0, '']);
    expect(again.stderr).toContain('has a tenant already');
    const other = tenant('Acme', 'alice');
    const link = (...args: readonly string[]) =>
      spawnSync(process.execPath, ['bin/verbatim', 'sign-in-link', ...args], {
        cwd: image,
        env: { DATABASE_URL: database.ownerUrl, PORT: '4000' },
        encoding: 'utf8',
      });
    const [, code] = /^http:\/\/127\.0\.0\.1:4000\/console\/sign-in#(vbc_[\w-]{66})\n$/.exec(link('Acme', 'alice').stdout) ?? [];
    for (const args of [['Acme', 'bob'], ['Acme'], []]) expect([args, link(...args).status, link(...args).stdout]).toEqual([args, 2, '']);
    // None of these programs runs between two requests: they hold this process up, and the server closes idle connections.
    const server = await ServerProcess.start({ DATABASE_URL: database.ownerUrl });
    const names = await Promise.all([first, other].map(async ({ stdout }) => (await server.client(stdout.trim()).get('/v1/me')).body.userName));
    expect(names).toEqual(['first user', 'alice']);
    expect((await server.client('').as(null).post('/v1/sign-in', { code })).body).toMatchObject({ userName: 'alice', role: 'admin' });
    await server.stop();
  });

  it('brings a database to the schema of this version, once and again', () => {
    const migrate = () => spawnSync(process.execPath, ['bin/verbatim', 'migrate'], { cwd: image, env: { DATABASE_URL: database.ownerUrl }, encoding: 'utf8' });
    for (const { status, stdout } of [migrate(), migrate()]) expect([status, stdout]).toEqual([0, 'The database has the schema of this version.\n']);
  });

  it('is started by docker-compose.yml with settings that exist', () => {
    const { services } = parse(readFileSync(path.join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
      services: Record<string, { environment?: object; command?: readonly string[] }>;
    };
    const ours = ['api', 'worker', 'tenant'].map((name) => services[name]!);
    expect(ours.flatMap(({ environment = {} }) => Object.keys(environment)).filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
    for (const service of ours)
      expect(service).toMatchObject({
        env_file: [{ path: '.env', required: false }],
        volumes: [expect.stringContaining('/config:ro'), 'workspaces:/workspaces'],
      });
    expect(services['tenant']!.command!.slice(0, 2)).toEqual(['verbatim', 'tenant']);
  });

  it('has the programs that tools, hooks and the git status start', () => {
    const sources = globSync('src/{engine/{tools,hooks,mcp},platform/child-process}/**/*.ts', { cwd: ROOT }).map((file) =>
      readFileSync(path.join(ROOT, file), 'utf8'),
    );
    const started = sources.flatMap((source) =>
      [...source.matchAll(/(?:spawn|run|findProgram)\('([\w/.-]+)'|file: '(\/[\w/]+)'|COMMAND = '(\w+) /g)].map((found) => found.slice(1).find(Boolean)),
    );
    /** Of the base image, a Debian. */
    const base = ['/bin/sh', 'bash', 'mkfifo'];
    const installed = /apt-get install [^&]*/.exec(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'))![0].split(/\s+/);
    const packageOf: Readonly<Record<string, string>> = { bwrap: 'bubblewrap' };
    expect([...new Set(started)].toSorted()).toEqual(['/bin/sh', 'bash', 'bwrap', 'git', 'mkfifo']);
    for (const program of started) if (!base.includes(program!)) expect(installed).toContain(packageOf[program!] ?? program);
  });

  it('runs, in docker-compose.yml, as an account that can become those of sessions, on folders that all processes share', () => {
    const { services, volumes } = parse(readFileSync(path.join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
      services: Record<string, { user?: string; cap_drop?: unknown; cap_add?: unknown; volumes?: readonly string[]; environment?: Record<string, string> }>;
      volumes: Record<string, unknown>;
    };
    for (const { user, cap_drop, cap_add, environment, volumes: mounts } of ['api', 'worker'].map((name) => services[name]!)) {
      expect({ user, cap_drop, cap_add }).toEqual({
        user: 'root',
        cap_drop: ['ALL'],
        cap_add: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID'],
      });
      expect(mounts).toContain(`workspaces:${environment!['WORKSPACES_DIR']}`);
    }
    expect(Object.keys(volumes)).toContain('workspaces');
  });

  it('has links from where the model is told that skills and plugins are to where docker-compose.yml has them: containers usually have no bubblewrap', () => {
    const [dockerfile, compose] = ['Dockerfile', 'docker-compose.yml'].map((file) => readFileSync(path.join(ROOT, file), 'utf8'));
    for (const [setting, at] of [
      ['SKILLS_DIR', SKILLS_PATH],
      ['PLUGINS_DIR', '/plugins'],
    ]) {
      expect(compose).toContain(`${setting}=/config${at}`);
      expect(dockerfile).toContain(`ln -s /config${at} ${at}`);
    }
  });

  it('copies what there is, and starts and checks what it copies', () => {
    const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
    const copied = [...last.matchAll(/^COPY (?:--from=\w+ \/app\/)?(\S+)/gm)].map(([, from]) => from!);
    expect(copied).toEqual(['node_modules', 'package.json', 'bin', 'dist', 'prisma/migrations', 'prisma/functions']);
    for (const name of copied) expect(existsSync(path.join(ROOT, name))).toBe(true);
    expect(/^CMD (.*)$/m.exec(last)?.[1]).toBe('["node", "bin/verbatim", "start"]');
    for (const [, name] of last.matchAll(/^(?:ENV)? {4}?([A-Z_]+)=/gm)) if (!['NODE_ENV', 'PATH'].includes(name!)) expect(SETTING_NAMES).toContain(name);
  });
});
