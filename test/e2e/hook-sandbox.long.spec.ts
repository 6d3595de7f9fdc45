import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client, UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { BUBBLEWRAP, describeWith, GIT, LINUX, ROOT } from '../support/needs.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';

/** A repository whose configuration and attributes name programs; each writes down what it can read. */
const plant = (secret: string): string => `
  git init -q -b main . && git config user.email a@example.org && git config user.name a
  echo text > file.txt && git add file.txt && git commit -qm first
  echo '*.txt filter=planted diff=planted' > .gitattributes && echo more >> file.txt
  for name in fsmonitor filter textconv pager included; do
    printf '#!/bin/sh\\n{ cat %s; cat /proc/[0-9]*/environ 2> /dev/null | grep -a -e TOKEN -e DATABASE; echo end; } >> %s/stolen.%s 2>&1\\ncat "$@"\\n' '${secret}' "$PWD" $name > $name.sh
    chmod +x $name.sh
  done
  git config filter.planted.clean "$PWD/filter.sh"; git config diff.planted.textconv "$PWD/textconv.sh"; git config core.pager "$PWD/pager.sh"
  printf '[core]\\n\\tfsmonitor = %s\\n' "$PWD/fsmonitor.sh" > more.config; git config include.path ../more.config
  printf '[core]\\n\\tpager = %s\\n' "$PWD/included.sh" > .gitconfig`;

const SERVER_KEY = 'a-key-of-the-server-with-32-characters';
const SECRET = 'a secret of the server';

const group = (command: string): readonly object[] => [{ hooks: [{ type: 'command', command, timeout: 60 }] }];

describeWith(
  LINUX,
  ROOT,
  BUBBLEWRAP,
  GIT,
)('a command hook in a folder that the model writes', () => {
  describe.each([
    ['root', 'auto', undefined],
    ['root without bubblewrap', 'none', undefined],
    ['another user', 'auto', { uid: 4_321, gid: 4_321 }],
  ])('of a server that runs as %s', (_name, sandbox, account) => {
    let folder: string;
    let database: TestDatabase;
    let server: ServerProcess | undefined;
    let client: Client;

    const inFolder = (name: string): string => path.join(folder, name);

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'verbatim-hook-sandbox-'));
      await chmod(folder, 0o711); // or the accounts of sessions could not reach it
      await writeFile(inFolder('secret'), SECRET, { mode: 0o600 });
      await writeFile(inFolder('status.sh'), 'git status -sb; git diff; git log -p -1 > /dev/null\n');
      const command = `said=$(sh ${inFolder('status.sh')} 2>&1); printf '%s' "$said" | sed 's/[\\\\"]/\\\\&/g' | awk 'BEGIN { printf "{\\"additionalContext\\":\\"" } { printf "%s\\\\n", $0 } END { print "\\"}" }'`;
      await writeFile(inFolder('hooks.json'), JSON.stringify({ hooks: { PostToolUse: group(command), UserPromptSubmit: group('cat > /dev/null') } }));
      if (account) for (const place of [folder, inFolder('secret')]) await chown(place, account.uid, account.gid);
      database = await freshDatabase();
      const token = await makeTenant(database.appUrl, 'hooks');
      const environment = { DATABASE_URL: database.ownerUrl, DATA_DIR: inFolder('data'), OPERATOR_TOKEN: SERVER_KEY, LOG_LEVEL: 'warn' };
      const tools = { TOOLS: 'Bash', BASH_SANDBOX: sandbox, HOOKS_FILE: inFolder('hooks.json') };
      server = await ServerProcess.start({ ...environment, ...tools }, undefined, undefined, account);
      client = server.client(token);
    });
    afterAll(async () => {
      await server?.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const typed = async (id: string, command: string): Promise<string> => {
      await client.ask(id, command, { mode: 'bash' });
      return String((await client.messages(id)).at(-1).content);
    };
    /** The run of the hook after a call of the model. */
    const hookRun = async (id: string): Promise<UnknownObject> => {
      await client.ask(id, '{{tool Bash {"command":"true"}}}');
      return (await client.events(id)).filter(({ type }) => type === 'hook.completed').at(-1).data;
    };

    it('learns from git what stands there, and no program that the folder names can read what is the server’s', async () => {
      const id = await client.session({ permissionMode: 'bypassPermissions' });
      expect(await typed(id, `${plant(inFolder('secret'))}; rm -f stolen.*; echo planted`)).toContain('planted');
      const run = await hookRun(id);
      expect(run).toMatchObject({ outcome: 'success', stderr: '', additionalContext: expect.stringMatching(/^## main/) });
      expect(run.additionalContext).toContain('+more');
      expect(run.additionalContext).not.toMatch(/dubious|fatal/);
      const stolen = await typed(id, 'tail -n +1 stolen.*');
      expect(stolen).toContain('stolen.filter'); // it was run, with the account of the session
      for (const secret of [SECRET, SERVER_KEY, database.ownerUrl]) expect(stolen).not.toContain(secret);
    });

    it('is not configured by the settings that the model wrote', async () => {
      const id = await client.session({ permissionMode: 'bypassPermissions' });
      await typed(id, `${plant('none')}; rm -f stolen.*`);
      expect(await hookRun(id)).toMatchObject({ outcome: 'success' });
      expect(await typed(id, 'ls')).not.toMatch(/stolen\.(?:fsmonitor|pager|included)/);
    });

    it('denies the call when the model has made the folder unusable', async () => {
      const id = await client.session({ permissionMode: 'bypassPermissions' });
      await typed(id, 'chmod 000 .');
      await client.ask(id, 'a prompt that a hook has to see');
      expect((await client.events(id)).filter(({ type }) => type === 'hook.completed').at(-1).data).toMatchObject({
        event: 'UserPromptSubmit',
        outcome: 'blocked',
        exitCode: null,
        reason: expect.stringContaining('The hook did not run'),
      });
    });
  });

  it('is refused at the start when the accounts of sessions cannot read its script', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-hook-sandbox-'));
    const database = await freshDatabase();
    const [script, hooks] = ['guard.sh', 'hooks.json'].map((name) => path.join(folder, name)) as [string, string];
    await writeFile(script, 'exit 0\n');
    await writeFile(hooks, JSON.stringify({ hooks: { UserPromptSubmit: group(`sh ${script}`) } }));
    const start = ServerProcess.start({ DATABASE_URL: database.ownerUrl, DATA_DIR: path.join(folder, 'data'), TOOLS: 'Write', HOOKS_FILE: hooks });
    await expect(start).rejects.toThrow(`cannot read ${script}`);
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is refused at the start of a server that has no isolation, unless it is marked to run outside', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-hook-sandbox-'));
    const account = { uid: 4_321, gid: 4_321 };
    await chown(folder, account.uid, account.gid);
    const database = await freshDatabase();
    const hooks = path.join(folder, 'hooks.json');
    const start = async (sandbox: boolean): Promise<ServerProcess> => {
      await writeFile(hooks, JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'pwd', sandbox }] }] } }), { mode: 0o644 });
      const settings = { DATABASE_URL: database.ownerUrl, DATA_DIR: path.join(folder, 'data'), TOOLS: 'Write', BASH_SANDBOX: 'none', HOOKS_FILE: hooks };
      return ServerProcess.start(settings, undefined, undefined, account);
    };
    try {
      await expect(start(true)).rejects.toThrow(/Command hooks run in the folders of sessions.*"sandbox": false.*BASH_SANDBOX=none/);
      const server = await start(false);
      const client = server.client(await makeTenant(database.appUrl, 'hooks'));
      const id = await client.session();
      await client.ask(id, 'hello');
      const run = (await client.events(id)).find(({ type }) => type === 'hook.completed')?.data;
      expect(run).toMatchObject({ outcome: 'success', input: { cwd: process.cwd() }, additionalContext: process.cwd() });
      await server.stop();
    } finally {
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
