import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const TYPED = `import { createClient, type Session } from '@verbatim/client';
const client = createClient({ baseUrl: 'http://localhost:3000', token: 'vb_x' });
export const title = (session: Session): string | null => session.title;
// @ts-expect-error: the types are not \`any\`
export const wrong: number = client;
// @ts-expect-error: nor are those of the API
export const none = (session: Session): unknown => session.notThere;
`;

describe('the package of the client', () => {
  it('has its code, types, licence and readme, and installs in an empty folder, where programs that use it compile and run', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-client-'));
    try {
      // Compiled already; `prepack` would do it again beneath the other tests.
      const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: 'clients/typescript' });
      const [packed] = JSON.parse(stdout) as [{ readonly filename: string; readonly files: readonly { readonly path: string }[] }];
      const files = packed.files.map((file) => file.path);
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']));
      expect(files.filter((file) => !/^(?:LICENSE|README\.md|package\.json|dist\/[\w-]+\.(?:js|d\.ts))$/.test(file))).toEqual([]);

      await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund', path.join(folder, packed.filename)], { cwd: folder });
      const code = "const { createClient } = await import('@verbatim/client'); console.log(typeof createClient);";
      const imported = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
      expect(imported.stdout.trim()).toBe('function');

      // Its types are found and complete with both ways to resolve modules, in a project that checks libraries, too.
      await writeFile(path.join(folder, 'use.ts'), TYPED);
      for (const resolution of [
        ['nodenext', 'nodenext'],
        ['esnext', 'bundler'],
      ] as const) {
        const [module, moduleResolution] = resolution;
        const options = [
          '--noEmit',
          '--strict',
          '--target',
          'es2022',
          '--lib',
          'es2022,dom,dom.iterable',
          '--module',
          module,
          '--moduleResolution',
          moduleResolution,
        ];
        const checked = await run(process.execPath, [path.resolve('node_modules/typescript/bin/tsc'), ...options, 'use.ts'], {
          cwd: folder,
        }).catch((error: { readonly stdout: string }) => error);
        expect([resolution, checked.stdout]).toEqual([resolution, '']);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
