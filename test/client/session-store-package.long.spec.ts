import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const TYPED = `import { createClient } from '@verbatim/client';
import { VerbatimSessionStore, type SessionStoreEntry } from '@verbatim/session-store';
const store = new VerbatimSessionStore({ client: createClient({ baseUrl: 'http://localhost:3000', token: 'vb_x' }) });
export const loaded: Promise<SessionStoreEntry[] | null> = store.load({ projectKey: 'p', sessionId: 's' });
// @ts-expect-error: the types are not \`any\`
export const wrong: number = store;
`;

describe('the package of the session store', () => {
  it('has its code, types, licence and readme, and installs with the client in an empty folder, where programs that use it compile and run', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-session-store-'));
    try {
      const packed: string[] = [];
      for (const cwd of ['clients/typescript', 'clients/session-store']) {
        const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd });
        const [{ filename, files }] = JSON.parse(stdout) as [{ readonly filename: string; readonly files: readonly { readonly path: string }[] }];
        packed.push(path.join(folder, filename));
        const paths = files.map((file) => file.path);
        expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']));
        expect(paths.filter((file) => !/^(?:LICENSE|README\.md|package\.json|dist\/[\w-]+\.(?:js|d\.ts))$/.test(file))).toEqual([]);
      }
      await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...packed], { cwd: folder });
      const code = "const { VerbatimSessionStore } = await import('@verbatim/session-store'); console.log(typeof VerbatimSessionStore);";
      expect((await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })).stdout.trim()).toBe('function');
      await writeFile(path.join(folder, 'use.ts'), TYPED);
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--module', 'nodenext'];
      const checked = await run(process.execPath, [path.resolve('node_modules/typescript/bin/tsc'), ...options, 'use.ts'], { cwd: folder }).catch(
        (error: { readonly stdout: string }) => error,
      );
      expect(checked.stdout).toBe('');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
