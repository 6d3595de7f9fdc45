import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
