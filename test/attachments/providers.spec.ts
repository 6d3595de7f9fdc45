import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ClientSent } from '../../src/engine/attachments/client-sent.js';
import { CurrentDate } from '../../src/engine/attachments/current-date.js';
import { PlanMode } from '../../src/engine/attachments/plan-mode.js';
import { TenantInstructions, WorkspaceInstructions } from '../../src/engine/attachments/instructions.js';
import { MemoryListing } from '../../src/engine/attachments/memory-listing.js';
import { SkillListing } from '../../src/engine/attachments/skill-listing.js';
import type { MemoryFile, StandingRequest } from '../../src/ports/index.js';
import { SETTINGS, submission } from '../support/given-session.js';
import type { Attachment } from '../../packages/protocol/message/attachment.js';
import { NO_TENANT_SETTINGS } from '../../src/session/tenants/tenant-settings.js';
import type { SkillSummary } from '../../src/session/prompt/skill.js';

const NOW = Date.parse('2031-05-06T00:10:00Z');
const standing = (more: Partial<StandingRequest> = {}): StandingRequest => ({
  tenantId: 't',
  sessionId: 's',
  settings: SETTINGS,
  hasFile: () => false,
  timeZone: null,
  memoryOf: null,
  now: NOW,
  ...more,
});

describe('attachments of the client', () => {
  it('are passed unchanged', async () => {
    const attachments: readonly Attachment[] = [
      { type: 'todo_list', todos: [] },
      { z: 1, type: 'note' },
    ];
    const prompt = { tenantId: 't', sessionId: 's', text: '' };
    expect(await new ClientSent().gather({ ...prompt, submission: { ...submission(1), attachments } })).toEqual(attachments);
    expect(await new ClientSent().gather({ ...prompt, submission: submission(1) })).toEqual([]);
  });
});

describe('the date', () => {
  it.each([
    ['is given', null, { type: 'current_date', date: '2031-05-06' }],
    ['is not repeated', { type: 'current_date', date: '2031-05-06' }, null],
    ['is not repeated after a change', { type: 'date_change', newDate: '2031-05-06' }, null],
    ['is given as a change after midnight', { type: 'current_date', date: '2031-05-05' }, { type: 'date_change', newDate: '2031-05-06' }],
    ['is given as a change a year later', { type: 'date_change', newDate: '2030-05-06' }, { type: 'date_change', newDate: '2031-05-06' }],
    ['stays when the clock of another worker ran ahead', { type: 'current_date', date: '2031-05-07' }, null],
    ['is given in place of an erased one', { type: 'erased' }, { type: 'current_date', date: '2031-05-06' }],
  ])('%s', async (_, told, expected) => {
    expect(await new CurrentDate().read(standing(), told)).toEqual(expected);
  });
});

describe('the date in the time zone of a user', () => {
  const tokyo = 'Asia/Tokyo';
  const honolulu = 'Pacific/Honolulu';
  it.each([
    ['is theirs', tokyo, null, { type: 'current_date', date: '2031-05-06', timeZone: tokyo }],
    ['may be the day before', honolulu, null, { type: 'current_date', date: '2031-05-05', timeZone: honolulu }],
    [
      'is given as a change, also to an earlier day',
      honolulu,
      { type: 'current_date', date: '2031-05-06' },
      { type: 'date_change', newDate: '2031-05-05', timeZone: honolulu },
    ],
    ['is not repeated for a zone with the same date', tokyo, { type: 'current_date', date: '2031-05-06' }, null],
    ['stays in the zone that was told, where the turn has none', null, { type: 'current_date', date: '2031-05-05', timeZone: honolulu }, null],
    [
      'goes on there at midnight',
      null,
      { type: 'current_date', date: '2031-05-04', timeZone: honolulu },
      { type: 'date_change', newDate: '2031-05-05', timeZone: honolulu },
    ],
  ])('%s', async (_, timeZone, told, expected) => {
    expect(await new CurrentDate().read(standing({ timeZone }), told)).toEqual(expected);
  });
});

describe('plan mode', () => {
  const inMode = (permissionMode: 'plan' | 'default', told: Attachment | null) => new PlanMode().read(standing({ settings: { permissionMode } }), told);

  it('is told when it begins and when it ends, and not otherwise', async () => {
    expect(await inMode('default', null)).toBeNull();
    expect(await inMode('plan', null)).toEqual({ type: 'plan_mode' });
    expect(await inMode('plan', { type: 'plan_mode' })).toBeNull();
    expect(await inMode('default', { type: 'plan_mode' })).toEqual({ type: 'plan_mode_exit' });
    expect(await inMode('default', { type: 'plan_mode_exit' })).toBeNull();
    expect(await inMode('plan', { type: 'plan_mode_exit' })).toEqual({ type: 'plan_mode' });
  });
});

describe('the listing of skills', () => {
  const skill = (name: string, description = `does ${name}`, modelInvocable = true): SkillSummary => ({
    name,
    description,
    argumentHint: null,
    kind: 'skill',
    userInvocable: true,
    modelInvocable,
  });
  const read = (skills: readonly SkillSummary[], told: Attachment | null = null, characters = 1_000) =>
    new SkillListing({ list: async () => skills }, characters).read(standing(), told);

  it('lists the skills that the model may invoke, sorted by name', async () => {
    expect(await read([skill('b'), skill('hidden', 'x', false), skill('a')])).toEqual({
      type: 'skill_listing',
      skills: [
        { name: 'a', description: 'does a' },
        { name: 'b', description: 'does b' },
      ],
    });
  });

  it('is repeated only when it has changed', async () => {
    const listing = await read([skill('a')]);
    expect(await read([skill('a')], listing)).toBeNull();
    expect((await read([skill('a'), skill('b')], listing))?.['skills']).toHaveLength(2);
    expect(await read([], listing)).toEqual({ type: 'skill_listing', skills: [] });
    expect(await read([])).toBeNull();
    expect(await read([], { type: 'skill_listing', skills: [] })).toBeNull();
  });

  it('stays within its limit', async () => {
    expect(await read([skill('a', 'x'.repeat(500)), skill('b', 'y'.repeat(10))], null, 100)).toEqual({
      type: 'skill_listing',
      skills: [
        { name: 'a', description: 'x'.repeat(49) },
        { name: 'b', description: 'y'.repeat(10) },
      ],
    });
    const many = await read(
      Array.from({ length: 100 }, (_, n) => skill(`name-${n}`)),
      null,
      70,
    );
    expect(many?.['skills']).toHaveLength(10);
  });
});

describe('the listing of the memory', () => {
  const file = (path: string, content: string, version = 1): MemoryFile => ({
    ...{ path, content, version, renamedFrom: null, changedAt: '2031-05-06T00:00:00.000Z', changedBy: 'u', sessionId: null },
  });
  const read = (files: readonly MemoryFile[], told: Attachment | null = null, memoryOf: string | null = 'u', characters = 1_000) =>
    new MemoryListing({ files: async () => files }, characters).read(standing({ memoryOf }), told);
  const listing = (...files: readonly object[]) => ({ type: 'memory_listing', userId: 'u', files, omitted: 0 });

  it('names each file with its size and version, without hidden ones, also when there is none', async () => {
    expect(await read([file('/memories/a', 'ä'), file('/memories/.b', 'x'), file('/memories/d/.e/f', 'x')])).toEqual(
      listing({ path: '/memories/a', bytes: 2, version: 1 }),
    );
    expect(await read([])).toEqual(listing());
  });

  it('is told again only when it has changed, as a change, and once when there is no memory any more', async () => {
    const [first, second] = [file('/memories/a', '1'), file('/memories/a', '2', 2)];
    const told = await read([first]);
    expect(await read([first], told)).toBeNull();
    expect(await read([second], told)).toEqual({ ...listing({ path: '/memories/a', bytes: 1, version: 2 }), isChange: true });
    expect(await read([], told)).toEqual({ ...listing(), isChange: true });
    const none = await read([first], told, null);
    expect(none).toEqual({ type: 'memory_listing', userId: null, files: [], omitted: 0 });
    expect(await read([first], none, null)).toBeNull();
    expect(await read([first], none)).toEqual(told);
    expect(await read([first], null, null)).toBeNull();
    expect(await read([first], { type: 'erased' })).toEqual(told);
  });

  it('of another user is told although the files have the same names', async () => {
    const told = await read([file('/memories/a', '1')]);
    expect(await read([file('/memories/a', '1')], told, 'other')).toMatchObject({ userId: 'other', isChange: true });
  });

  it('stays within its limit, and says how many files are missing', async () => {
    const many = Array.from({ length: 50 }, (_, n) => file(`/memories/${n + 10}`, 'x'));
    const told = await read(many, null, 'u', 160);
    expect(told).toMatchObject({ omitted: 40 });
    expect(told?.['files']).toHaveLength(10);
  });
});

describe('instructions', () => {
  let workspaces: string;
  const files = (session: string): string => path.join(workspaces, 't', session, 'files');
  const ofTenant = (instructions: string | null, told: Attachment | null = null, characters = 100) =>
    new TenantInstructions({ read: async () => ({ ...NO_TENANT_SETTINGS, instructions }) }, characters).read(standing(), told);
  const ofFolder = (sessionId: string, told: Attachment | null = null, characters = 100) =>
    new WorkspaceInstructions(
      async () => workspaces,
      async () => undefined,
      characters,
    ).read(standing({ sessionId }), told);
  const withFile = async (session: string, content: string | Uint8Array): Promise<string> => {
    await mkdir(files(session), { recursive: true });
    await writeFile(path.join(files(session), 'CLAUDE.md'), content);
    return session;
  };

  beforeAll(async () => {
    workspaces = await mkdtemp(path.join(tmpdir(), 'verbatim-memory-'));
  });
  afterAll(() => rm(workspaces, { recursive: true, force: true }));

  it('are the texts of tenant and folder', async () => {
    expect(await ofTenant('Be kind.')).toEqual({ type: 'memory', source: 'tenant', content: 'Be kind.' });
    expect(await ofFolder(await withFile('both', 'Use tabs.'))).toEqual({ type: 'memory', source: 'workspace', path: 'CLAUDE.md', content: 'Use tabs.' });
    expect([await ofFolder('none'), await ofTenant(null), await ofTenant('  ')]).toEqual([null, null, null]);
  });

  it('are repeated only when they have changed, and revoked when they are removed', async () => {
    const first = await ofFolder(await withFile('changing', 'one'));
    expect(await ofFolder('changing', first)).toBeNull();
    await withFile('changing', 'two');
    expect(await ofFolder('changing', first)).toEqual({ type: 'memory', source: 'workspace', path: 'CLAUDE.md', content: 'two' });
    const revoked = await ofFolder('none', first);
    expect(revoked).toEqual({ type: 'memory', source: 'workspace', path: 'CLAUDE.md', content: '' });
    expect(await ofFolder('none', revoked)).toBeNull();
    expect(await ofTenant('Be kind.', await ofTenant('Be kind.'))).toBeNull();
    expect(await ofTenant(null, await ofTenant('Be kind.'))).toEqual({ type: 'memory', source: 'tenant', content: '' });
  });

  it('are cut above their limit', async () => {
    const file = await ofFolder(await withFile('long', '🧵'.repeat(100_000)));
    expect(file?.['content']).toBe(`${'🧵'.repeat(50)}\n[This is cut after 100 characters]`);
    expect((await ofTenant('x'.repeat(101)))?.['content']).toContain('[This is cut');
  });

  it("are not read outside the session's folder", async () => {
    const secret = path.join(workspaces, 'secret');
    await writeFile(secret, 'secret');
    await mkdir(files('link'), { recursive: true });
    await symlink(secret, path.join(files('link'), 'CLAUDE.md'));
    await mkdir(path.join(files('folder'), 'CLAUDE.md'), { recursive: true });
    await mkdir(files('pipe'), { recursive: true });
    execFileSync('mkfifo', [path.join(files('pipe'), 'CLAUDE.md')]);
    for (const session of ['link', 'folder', 'pipe']) expect([session, await ofFolder(session)]).toEqual([session, null]);
  });
});
