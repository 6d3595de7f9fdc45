import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freshDatabase } from '../support/database.js';
import { BUBBLEWRAP, describeWith, itWith, ROOT } from '../support/needs.js';
import { ServerProcess } from '../support/process.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'verbatim-at-start-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What a server that is root says at its start. */
async function saidAtStart(environment: Readonly<Record<string, string>>): Promise<string> {
  const database = await freshDatabase();
  const work = await mkdtemp(path.join(tmpdir(), 'verbatim-at-start-'));
  await chmod(work, 0o711); // for the accounts of sessions
  try {
    const process = await ServerProcess.start({ DATABASE_URL: database.ownerUrl, WORKSPACES_DIR: work, BASH_SANDBOX: 'none', ...environment });
    await process.stop();
    return process.printed();
  } finally {
    await database.drop();
    await rm(work, { recursive: true, force: true });
  }
}

describeWith(ROOT)('a start says of the commands of Bash', () => {
  const NAMED = 'Commands of Bash can make user namespaces (unshare -Ur)';

  describe('without bubblewrap', () => {
    let plugins: string;
    let said: Record<'commands' | 'commandsAndSkills' | 'filesAndSkills', string>;
    beforeAll(async () => {
      await mkdir(path.join(directory, 'look'));
      await writeFile(path.join(directory, 'look', 'SKILL.md'), '---\nname: look\ndescription: Looks.\n---\nLook.\n');
      plugins = path.join(directory, 'plugins');
      await mkdir(path.join(plugins, 'folder', '.claude-plugin'), { recursive: true });
      await writeFile(path.join(plugins, 'folder', '.claude-plugin', 'plugin.json'), '{"name":"house"}');
      const places = { SKILLS_DIR: directory, PLUGINS_DIR: plugins };
      said = {
        commands: await saidAtStart({ TOOLS: 'Bash' }),
        commandsAndSkills: await saidAtStart({ ...places, TOOLS: 'Bash' }),
        filesAndSkills: await saidAtStart({ ...places, TOOLS: 'Read' }),
      };
    });

    it('that they do not find skills and plugins at the paths that the model is told', () => {
      expect(said.commandsAndSkills).toContain(
        `commands of Bash see the real file system, and do not find /skills (${directory}), /plugins/house (${plugins}/folder)`,
      );
      expect(said.filesAndSkills).not.toContain('do not find'); // the file tools find them
      expect(said.commands).not.toContain('do not find');
    });

    it('that they can make user namespaces, exactly where an account of this machine can', () => {
      const can = spawnSync('unshare', ['-Ur', 'true'], { uid: 60_578, gid: 60_578, cwd: '/' }).status === 0;
      expect(said.commands.includes(NAMED)).toBe(can);
      expect(said.filesAndSkills).not.toContain(NAMED);
    });
  });

  itWith(BUBBLEWRAP)('not that they can make user namespaces, with a bubblewrap that forbids it', async () => {
    const forbids = spawnSync('bwrap', ['--unshare-user', '--disable-userns', '--ro-bind', '/', '/', 'true']).status === 0;
    const said = await saidAtStart({ TOOLS: 'Bash', BASH_SANDBOX: 'bwrap' });
    expect(said).not.toContain('Bash stays off');
    if (forbids) expect(said).not.toContain(NAMED);
  });
});
