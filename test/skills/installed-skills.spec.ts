import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InstalledSkills, type SkillSettings } from '../../src/engine/skills/installed-skills.js';
import { TenantConfiguration } from '../../src/ports/index.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../src/session/tenants/tenant-settings.js';
import type { Skill } from '../../src/session/prompt/skill.js';

class Tenants extends TenantConfiguration {
  readonly skills: Record<string, Record<string, boolean>> = {};
  override async read(tenantId: string): Promise<TenantSettings> {
    return { ...NO_TENANT_SETTINGS, skills: this.skills[tenantId] ?? {} };
  }
  override change = (): never => {
    throw new Error('skills never change settings');
  };
}

describe('skills in a directory', () => {
  let root: string;
  let directory: string;
  let tenants: Tenants;
  let reported: string[];

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'skills-'));
    directory = path.join(root, 'installed');
    await mkdir(directory);
    tenants = new Tenants();
    reported = [];
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const put = async (name: string, content: string | Uint8Array): Promise<void> => {
    const file = path.join(directory, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  };
  const open = (more: Partial<SkillSettings> = {}): InstalledSkills =>
    new InstalledSkills(
      {
        roots: [{ directory, path: '/skills', plugin: null }],
        hasProgram: null,
        maxSkills: 50,
        hasHelpers: true,
        maxSkillBytes: 2_000,
        maxFileBytes: 100,
        freshMs: 0,
        report: (problem) => reported.push(problem),
        ...more,
      },
      tenants,
    );
  const found = async (name: string, skills = open()): Promise<Skill> => {
    const skill = await skills.find('t', name);
    if (!skill) throw new Error(`no skill ${name}: ${JSON.stringify(await skills.problems())}`);
    return skill;
  };

  it('reads a skill with its front matter', async () => {
    await put(
      'commit/SKILL.md',
      '---\nname: commit\ndescription: Commits.\nwhen_to_use: After a change.\nargument-hint: [what]\narguments: [what, why]\nallowed-tools: Bash(git add:*), Bash(git commit -m *) Read,Grep\nmodel: opus\nuser-invocable: true\nlicense: MIT\n---\n\n# Commit\n$ARGUMENTS\n',
    );
    expect(await found('commit')).toEqual({
      name: 'commit',
      kind: 'skill',
      description: 'Commits. After a change.',
      argumentHint: '[what]',
      argumentNames: ['what', 'why'],
      allowedTools: ['Bash(git add:*)', 'Bash(git commit -m *)', 'Read', 'Grep'],
      model: 'opus',
      userInvocable: true,
      modelInvocable: true,
      directory: '/skills/commit',
      body: '\n# Commit\n$ARGUMENTS\n',
      fork: null,
    });
  });

  it('reads that a skill runs in a helper, where there are helpers', async () => {
    await put('look/SKILL.md', '---\ncontext: fork\nagent: critic\n---\nLook.\n');
    await put('plain/SKILL.md', '---\ncontext: fork\n---\nLook.\n');
    await put('other/SKILL.md', '---\ncontext: here\nagent: critic\n---\nLook.\n');
    expect((await found('look'))?.fork).toEqual({ agent: 'critic' });
    expect((await found('plain'))?.fork).toEqual({ agent: null });
    expect((await found('other'))?.fork).toBeNull();
    expect((await open({ hasHelpers: false }).find('t1', 'look'))?.fork).toBeNull();
  });

  it('reads commands, also in namespaces, with the first line as the description', async () => {
    await put('plain.md', '# Say hello\nand more');
    await put('team/deploy/now.md', '---\r\ndescription: Deploys\r\nmodel: inherit\r\nallowed-tools:\r\n  - Read\r\n---\r\nGo.');
    await put('team/review/SKILL.md', 'Review it.');
    await put('README.md', 'about');
    await put('.git/x.md', 'hidden');
    const skills = open();
    expect((await skills.list('t')).map(({ name, kind, description }) => [name, kind, description])).toEqual([
      ['team:deploy:now', 'command', 'Deploys'],
      ['team:review', 'skill', 'Review it.'],
      ['plain', 'command', 'Say hello'],
    ]);
    expect(await found('team:deploy:now', skills)).toMatchObject({ directory: null, model: null, allowedTools: ['Read'], body: 'Go.' });
    expect(await skills.problems()).toEqual([]);
  });

  it('accepts plain values that YAML requires to be quoted', async () => {
    await put('odd.md', '---\ndescription: Use when: asked, #1 "thing"\nargument-hint: [a] [b]\n---\nx');
    expect(await found('odd')).toMatchObject({ description: 'Use when: asked, #1 "thing"', argumentHint: '[a] [b]' });
  });

  it('reports whether people or the model may call a skill', async () => {
    await put('by-hand.md', '---\ndisable-model-invocation: true\n---\nx');
    await put('by-model.md', '---\nuser-invocable: "false"\n---\nx');
    expect((await open().list('t')).map(({ name, userInvocable, modelInvocable }) => [name, userInvocable, modelInvocable])).toEqual([
      ['by-hand', true, false],
      ['by-model', false, true],
    ]);
  });

  it('omits invalid skills, lists why, and reports each problem once', async () => {
    await put('good.md', 'fine');
    await put('endless.md', '---\ndescription: x\n');
    await put('yaml.md', '---\na: [\n---\nx');
    await put('shape.md', '---\nmodel: [1]\n---\nx');
    await put('scalar.md', '---\njust words\n---\nx');
    await put('bomb.md', '---\na: &a [1]\nb: [*a, *a]\n---\nx');
    await put('empty/SKILL.md', '---\ndescription: x\n---\n \n');
    await put('large.md', 'x'.repeat(2_001));
    await put('binary.md', new Uint8Array([0xff, 0xfe, 0]));
    await put('with space.md', 'x');
    await put('good/SKILL.md', 'also good');
    await put('a/b/c/d/e.md', 'deep');
    const skills = open();
    expect((await skills.list('t')).map(({ name, kind }) => [name, kind])).toEqual([['good', 'skill']]);
    const problems = Object.fromEntries((await skills.problems()).map(({ path: at, problem }) => [at, problem]));
    expect(problems).toEqual({
      'endless.md': expect.stringContaining('not closed'),
      'yaml.md': expect.stringContaining('not valid YAML'),
      'shape.md': expect.stringContaining('model'),
      'scalar.md': expect.stringContaining('not valid'),
      'bomb.md': expect.stringContaining('not valid YAML'),
      'empty/SKILL.md': expect.stringContaining('no text'),
      'large.md': expect.stringContaining('the limit is 2000'),
      'binary.md': expect.stringContaining('UTF-8'),
      'with space.md': expect.stringContaining('name'),
      'good.md': 'The name /good is already used by good/SKILL.md.',
      'a/b/c/d': expect.stringContaining('deeper'),
    });
    await skills.list('t');
    expect(reported).toHaveLength(Object.keys(problems).length);
    await put('yaml.md', 'mended');
    expect((await skills.find('t', 'yaml'))?.body).toBe('mended');
    await put('yaml.md', '---\na: [\n---\nx again');
    await skills.list('t');
    expect(reported.filter((line) => line.includes('yaml.md'))).toHaveLength(2);
  });

  it('picks up changed, added and removed skills', async () => {
    const skills = open();
    expect(await skills.find('t', 'note')).toBeNull();
    await put('note.md', 'one');
    expect((await skills.find('t', 'note'))?.body).toBe('one');
    await put('note.md', 'two, longer');
    expect((await skills.find('t', 'note'))?.body).toBe('two, longer');
    await rm(path.join(directory, 'note.md'));
    expect(await skills.find('t', 'note')).toBeNull();
  });

  it("applies the tenant's selection", async () => {
    await put('a.md', 'a');
    await put('b.md', 'b');
    tenants.skills['two'] = { a: false, b: true };
    const skills = open();
    expect((await skills.list('one')).map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await skills.list('two')).map(({ name }) => name)).toEqual(['b']);
    expect(await skills.find('two', 'a')).toBeNull();
    expect(await skills.find('one', 'a')).not.toBeNull();
  });

  it('never reads outside the directory', async () => {
    await writeFile(path.join(root, 'secret.md'), 'secret');
    await mkdir(path.join(root, 'elsewhere'));
    await writeFile(path.join(root, 'elsewhere', 'SKILL.md'), 'secret');
    await symlink(path.join(root, 'secret.md'), path.join(directory, 'linked.md'));
    await symlink(path.join(root, 'elsewhere'), path.join(directory, 'folder'));
    await mkdir(path.join(directory, 'half'));
    await symlink(path.join(root, 'secret.md'), path.join(directory, 'half', 'SKILL.md'));
    await symlink(directory, path.join(directory, 'loop'));
    await put('real.md', 'real');
    await symlink('real.md', path.join(directory, 'alias.md'));
    const skills = open();
    const names = (await skills.list('t')).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['real', 'alias']));
    expect(names.filter((name) => /linked|folder|half/.test(name))).toEqual([]);
    expect((await skills.problems()).map(({ path: at }) => at)).toEqual(expect.arrayContaining(['linked.md', 'folder', 'half/SKILL.md']));
    expect(JSON.stringify(await Promise.all(names.map((name) => skills.find('t', name))))).not.toContain('secret');
  });

  it('offers a limited number, and none without a directory', async () => {
    for (const name of ['a', 'b', 'c']) await put(`${name}.md`, name);
    const skills = open({ maxSkills: 2 });
    expect((await skills.list('t')).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await skills.problems()).toEqual([{ path: 'c.md', problem: expect.stringContaining('limit of 2') }]);
    expect(await open({ roots: [] }).list('t')).toEqual([]);
    const gone = open({ roots: [{ directory: path.join(root, 'none'), path: '/skills', plugin: null }] });
    expect(await gone.list('t')).toEqual([]);
    expect(await gone.problems()).toEqual([{ path: '.', problem: expect.stringContaining('ENOENT') }]);
  });

  describe('files that a skill mentions', () => {
    const mentioned = async (body: string, args = '') => {
      await put('reader/SKILL.md', body);
      const skills = open();
      const attachments = await skills.mentioned(await found('reader', skills), args);
      return attachments.map(({ path: at, content, note }) => [at, content ?? note]);
    };

    it("are read from the skill's folder", async () => {
      await put('reader/notes/a.md', 'A');
      await put('reader/b.md', 'B');
      expect(await mentioned('See @notes/a.md and @./b.md.', 'and @b.md')).toEqual([
        ['b.md', 'B'],
        ['notes/a.md', 'A'],
        ['./b.md', 'B'],
      ]);
    });

    it('are not read from elsewhere, and the model is told so', async () => {
      await put('other/x.md', 'secret');
      await put('reader/..odd.md', 'odd');
      await symlink(path.join(directory, 'other/x.md'), path.join(directory, 'reader', 'link.md')).catch(() => undefined);
      const outside = expect.stringContaining("outside the skill's folder");
      expect(await mentioned('@../other/x.md @/etc/passwd @~/.ssh/id @notes/../../other/x.md @link.md @..odd.md', '@../other/x.md @/etc/hosts')).toEqual([
        ['../other/x.md', outside],
        ['/etc/passwd', outside],
        ['~/.ssh/id', outside],
        ['notes/../../other/x.md', outside],
        ['link.md', outside],
        ['..odd.md', 'odd'],
      ]);
    });

    it('are ignored when they do not exist, and reported when they cannot be read', async () => {
      await put('reader/large.txt', 'x'.repeat(101));
      await put('reader/picture.png', new Uint8Array([0x89, 0x50, 0, 0xff]));
      await put('reader/folder/x', 'x');
      expect(await mentioned('@scope/package @none.md @large.txt @picture.png @folder', '@alice')).toEqual([
        ['large.txt', expect.stringContaining('101 bytes; the limit is 100')],
        ['picture.png', expect.stringContaining('UTF-8')],
        ['folder', expect.stringContaining('not a file')],
      ]);
    });

    it('do not exist for a single-file command', async () => {
      await put('alone.md', 'See @plain.md and @/etc/passwd');
      await put('plain.md', 'x');
      const skills = open();
      expect(await skills.mentioned(await found('alone', skills), '')).toEqual([expect.objectContaining({ path: '/etc/passwd', note: expect.any(String) })]);
    });
  });

  it('lists a skill whose file cannot be opened among the problems', async () => {
    await put('locked.md', 'x');
    await chmod(path.join(directory, 'locked.md'), 0o000);
    const skills = open();
    const listed = await skills.list('t');
    // An account that may read everything reads this, too.
    if (process.getuid?.() === 0) expect(listed).toHaveLength(1);
    else expect(await skills.problems()).toEqual([{ path: 'locked.md', problem: expect.stringContaining('EACCES') }]);
  });
});
