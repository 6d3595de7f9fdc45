import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freshDatabase } from '../support/database.js';
import { ROOT, itWith } from '../support/needs.js';
import { ServerProcess } from '../support/process.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call, resultsIn } from '../support/tool-server.js';

let directory: string;
let server: TestServer;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'verbatim-skill-files-'));
  await mkdir(path.join(directory, 'look'));
  await writeFile(path.join(directory, 'look', 'SKILL.md'), '---\nname: look\ndescription: Looks.\n---\nSee extra.md.\n');
  await writeFile(path.join(directory, 'look', 'extra.md'), 'Look twice.\n');
  await chmod(directory, 0o700);
  server = await startTestServer({ SKILLS_DIR: directory, TOOLS: 'Read,Glob' });
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

it('a tool reads a file of a skill at the path that the model is told, also where the accounts of the shell cannot enter the folder', async () => {
  const { client } = server;
  const id = await client.session({ permissionMode: 'bypassPermissions' });
  await client.ask(id, '/look');
  expect((await client.messages(id))[1]?.content).toContain('Base directory for this skill: /skills/look');
  await client.ask(id, call('Read', { file_path: '/skills/look/extra.md' }) + call('Glob', { pattern: '*', path: '/skills/look' }));
  expect(resultsIn(await client.messages(id)).map(({ content }) => content)).toEqual(['     1\tLook twice.', '/skills/look/SKILL.md\n/skills/look/extra.md']);
  await client.ask(id, call('Read', { file_path: '/skills/../etc/passwd' }) + call('Read', { file_path: '/skills/look/../../etc/passwd' }));
  expect(JSON.stringify(resultsIn(await client.messages(id)).slice(2))).not.toContain('root:');
});

/** What the server says at its start, as root without bubblewrap. */
async function saidAtStart(environment: Readonly<Record<string, string>>): Promise<string> {
  const database = await freshDatabase();
  const work = await mkdtemp(path.join(tmpdir(), 'verbatim-skill-files-'));
  await chmod(work, 0o711); // for the accounts of sessions
  try {
    const process = await ServerProcess.start({
      DATABASE_URL: database.ownerUrl,
      WORKSPACES_DIR: work,
      BASH_SANDBOX: 'none',
      ...environment,
    });
    await process.stop();
    return process.printed();
  } finally {
    await database.drop();
    await rm(work, { recursive: true, force: true });
  }
}

itWith(ROOT)('a start without bubblewrap says that commands do not find skills and plugins at the paths that the model is told', async () => {
  const plugins = path.join(directory, 'plugins');
  await mkdir(path.join(plugins, 'folder', '.claude-plugin'), { recursive: true });
  await writeFile(path.join(plugins, 'folder', '.claude-plugin', 'plugin.json'), '{"name":"house"}');
  const places = { SKILLS_DIR: directory, PLUGINS_DIR: plugins };
  expect(await saidAtStart({ ...places, TOOLS: 'Bash' })).toContain(
    `commands of Bash see the real file system, and do not find /skills (${directory}), /plugins/house (${plugins}/folder)`,
  );
  expect(await saidAtStart({ ...places, TOOLS: 'Read' })).not.toContain('do not find'); // the file tools find them
  expect(await saidAtStart({ TOOLS: 'Bash' })).not.toContain('do not find');
});
