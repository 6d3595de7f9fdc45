import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ClientSent } from '../../src/adapters/attachments/client-sent.js';
import { CurrentDate } from '../../src/adapters/attachments/current-date.js';
import { Memory } from '../../src/adapters/attachments/memory.js';
import { SkillListing } from '../../src/adapters/attachments/skill-listing.js';
import type { StoredMessage } from '../../src/core/message/message.js';
import { type AttachmentRequest } from '../../src/core/ports.js';
import { submission } from '../support/given-session.js';
import type { Attachment } from '../../src/core/message/attachment.js';
import { NO_TENANT_SETTINGS } from '../../src/core/tenants/tenant-settings.js';
import type { SkillSummary } from '../../src/core/prompt/skill.js';

const NOW = Date.parse('2031-05-06T00:10:00Z');
const never = new AbortController().signal;
const told = (...attachments: readonly Attachment[]): readonly StoredMessage[] =>
  attachments.map((attachment, index) => ({ type: 'attachment', uuid: `u${index}`, parentUuid: null, timestamp: '2031-05-06T00:00:00Z', attachment }));
const at = (timestamp: string): StoredMessage => ({ type: 'user', uuid: 'u', parentUuid: null, timestamp, content: 'x' });
const request = (transcript: readonly StoredMessage[] = [], more: Partial<AttachmentRequest> = {}): AttachmentRequest => ({
  tenantId: 't',
  sessionId: 's',
  submission: submission(1),
  transcript,
  now: NOW,
  ...more,
});

describe('attachments of the client', () => {
  it('are passed unchanged', async () => {
    const attachments: readonly Attachment[] = [
      { type: 'todo_list', todos: [] },
      { z: 1, type: 'note' },
    ];
    expect(await new ClientSent().gather(request([], { submission: { ...submission(1), attachments } }))).toEqual(attachments);
    expect(await new ClientSent().gather(request())).toEqual([]);
  });
});

describe('the date', () => {
  it.each([
    ['a first prompt', [], [{ type: 'current_date', date: '2031-05-06' }]],
    ['a date that was given', told({ type: 'current_date', date: '2031-05-06' }), []],
    ['a change that was given', told({ type: 'date_change', newDate: '2031-05-06' }), []],
    ['a conversation that has no date', [at('2031-05-06T00:00:01Z')], [{ type: 'current_date', date: '2031-05-06' }]],
    ['a prompt after midnight', [at('2031-05-05T23:59:59Z')], [{ type: 'date_change', newDate: '2031-05-06' }]],
    ['the day as it is in UTC', [at('2031-05-06T01:00:00+02:00')], [{ type: 'date_change', newDate: '2031-05-06' }]],
    ['a prompt a year later', [at('2030-05-06T00:00:00Z')], [{ type: 'date_change', newDate: '2031-05-06' }]],
    ['messages of a clock that ran ahead', [at('2031-05-07T00:00:00Z'), ...told({ type: 'current_date', date: '2031-05-07' })], []],
    ['imported messages without a time', [at('whenever')], [{ type: 'current_date', date: '2031-05-06' }]],
  ])('%s', async (_, transcript, expected) => {
    expect(await new CurrentDate().gather(request(transcript))).toEqual(expected);
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
  const gather = (skills: readonly SkillSummary[], transcript: readonly StoredMessage[] = [], characters = 1_000) =>
    new SkillListing({ list: async () => skills }, characters).gather(request(transcript));

  it('lists the skills that the model may invoke, sorted by name', async () => {
    expect(await gather([skill('b'), skill('hidden', 'x', false), skill('a')])).toEqual([
      {
        type: 'skill_listing',
        skills: [
          { name: 'a', description: 'does a' },
          { name: 'b', description: 'does b' },
        ],
      },
    ]);
  });

  it('is repeated only when it has changed', async () => {
    const [listing] = await gather([skill('a')]);
    const before = told(listing!, { type: 'memory', content: 'x' });
    expect(await gather([skill('a')], before)).toEqual([]);
    expect(await gather([skill('a'), skill('b')], before)).toHaveLength(1);
    expect(await gather([], before)).toEqual([{ type: 'skill_listing', skills: [] }]);
    expect(await gather([])).toEqual([]);
    expect(await gather([], told({ type: 'skill_listing', skills: [] }))).toEqual([]);
  });

  it('stays within its limit', async () => {
    const [listing] = await gather([skill('a', 'x'.repeat(500)), skill('b', 'y'.repeat(10))], [], 100);
    expect(listing).toEqual({
      type: 'skill_listing',
      skills: [
        { name: 'a', description: 'x'.repeat(49) },
        { name: 'b', description: 'y'.repeat(10) },
      ],
    });
    const many = await gather(
      Array.from({ length: 100 }, (_, n) => skill(`name-${n}`)),
      [],
      70,
    );
    expect(many.map(({ skills }) => (skills as readonly unknown[]).length)).toEqual([10]);
  });
});

describe('memory', () => {
  let workspaces: string;
  const files = (session: string): string => path.join(workspaces, 't', session, 'files');
  const gather = (sessionId: string, instructions: string | null, transcript: readonly StoredMessage[] = [], characters = 100) =>
    new Memory({ read: async () => ({ ...NO_TENANT_SETTINGS, instructions }) }, { workspaces, characters }).gather(request(transcript, { sessionId }));
  const withFile = async (session: string, content: string | Uint8Array): Promise<string> => {
    await mkdir(files(session), { recursive: true });
    await writeFile(path.join(files(session), 'CLAUDE.md'), content);
    return session;
  };

  beforeAll(async () => {
    workspaces = await mkdtemp(path.join(tmpdir(), 'verbatim-memory-'));
  });
  afterAll(() => rm(workspaces, { recursive: true, force: true }));

  it('consists of the texts of tenant and folder', async () => {
    expect(await gather(await withFile('both', 'Use tabs.'), 'Be kind.')).toEqual([
      { type: 'memory', source: 'tenant', content: 'Be kind.' },
      { type: 'memory', source: 'workspace', path: 'CLAUDE.md', content: 'Use tabs.' },
    ]);
    expect(await gather('none', null)).toEqual([]);
    expect(await gather('none', '  ')).toEqual([]);
  });

  it('is repeated only when it has changed, and revoked when it is removed', async () => {
    const first = await gather(await withFile('changing', 'one'), 'Be kind.');
    expect(await gather('changing', 'Be kind.', told(...first))).toEqual([]);
    await withFile('changing', 'two');
    const second = await gather('changing', 'Be kind.', told(...first));
    expect(second).toEqual([{ type: 'memory', source: 'workspace', path: 'CLAUDE.md', content: 'two' }]);
    expect(await gather('none', null, told(...first, ...second))).toEqual([
      { type: 'memory', source: 'tenant', content: '' },
      { type: 'memory', source: 'workspace', path: 'CLAUDE.md', content: '' },
    ]);
    expect(
      await gather('none', null, told(...first, { type: 'memory', source: 'tenant', content: '' }, { type: 'memory', source: 'workspace', content: '' })),
    ).toEqual([]);
  });

  it('is truncated above its limit', async () => {
    const [, file] = await gather(await withFile('long', '🧵'.repeat(100_000)), 'x'.repeat(101), [], 100);
    expect(file?.['content']).toBe(`${'🧵'.repeat(50)}\n[This is cut after 100 characters]`);
  });

  it("does not read outside the session's folder", async () => {
    const secret = path.join(workspaces, 'secret');
    await writeFile(secret, 'secret');
    await mkdir(files('link'), { recursive: true });
    await symlink(secret, path.join(files('link'), 'CLAUDE.md'));
    await mkdir(path.join(files('folder'), 'CLAUDE.md'), { recursive: true });
    await mkdir(files('pipe'), { recursive: true });
    execFileSync('mkfifo', [path.join(files('pipe'), 'CLAUDE.md')]);
    for (const session of ['link', 'folder', 'pipe']) expect([session, await gather(session, null)]).toEqual([session, []]);
  });

  it('does not delay a prompt when the settings cannot be read', async () => {
    const memory = new Memory({ read: () => Promise.reject(new Error('away')) }, { workspaces, characters: 100 });
    await expect(memory.gather(request())).rejects.toThrow('away');
    expect(never.aborted).toBe(false);
  });
});
