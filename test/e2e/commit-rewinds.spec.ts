import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { answer, calls, CLAUDE_MD, configureCommits, reminder, says, STEPS, text } from '../support/commit-turns.js';
import { describeWith, GIT, SHELL } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Fault, type StandIn, startStandIn } from '../support/stand-in-server.js';

/** A repository with one change that is not committed. */
const REPOSITORY = [
  'git init --quiet --initial-branch=main && git config user.name Test && git config user.email test@example.com && git config maintenance.auto false',
  'printf "# myapp\\n\\nA smal example.\\n" > README.md && git add README.md && git commit --quiet -m start',
  'printf "# myapp\\n\\nA small example.\\n" > README.md',
].join(' && ');

const COMMIT = { command: "git commit -am 'fix typo in README'", description: 'Commit the README typo fix' };
const STATE = 'git log --format=%s; git status --short; cat README.md';
const BEFORE = 'start\n M README.md\n# myapp\n\nA small example.';
const AFTER = 'fix typo in README\nstart\n# myapp\n\nA small example.';

describeWith(GIT, SHELL)('the turns of a commit, with the files of their session', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;
  let data: string;

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-rewinds-'));
    await chmod(data, 0o711); // for the accounts of sessions
    const configured = await configureCommits(data);
    api = await startStandIn({ apiKey: 'test-key' });
    server = await startTestServer({ ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: api.url, DATA_DIR: data, WORKSPACE_HISTORY: 'true', ...configured });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
    await rm(data, { recursive: true, force: true });
  });

  const bodies = (count: number): readonly UnknownObject[] => api.received.slice(-count).map(({ body }) => JSON.parse(body));
  const files = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}/files`), 200).body.data;
  const said = async (id: string, command: string): Promise<string> => {
    expect((await client.ask(id, command, { mode: 'bash' })).status).toBe('completed');
    return /^<bash-stdout>([^]*)<\/bash-stdout>$/.exec((await client.messages(id)).at(-1)!.content)?.[1] ?? 'nothing';
  };
  const rewind = async (id: string, target: object): Promise<string> =>
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { ...target, files: true }), 201).body.id;
  const withoutMarkers = (value: unknown): UnknownObject =>
    JSON.parse(JSON.stringify(value, (key, member: unknown) => (key === 'cache_control' ? undefined : member)));
  /** The id of a commit has the time in it. */
  const withoutCommit = (value: unknown): UnknownObject => JSON.parse(JSON.stringify(value).replaceAll(/\[main [0-9a-f]{7,}\]/g, '[main abc1234]'));

  const skill = { name: 'commit' };
  const header = '<command-message>commit</command-message>\n<command-name>/commit</command-name>\n<command-args>fix typo in README</command-args>';
  const hooks = (tool: string, before: string, after: string): string =>
    `${reminder(`PostToolUse:${tool} hook additional context: ${after}`)}\n\n${reminder(`PreToolUse:${tool} hook additional context: ${before}`)}`;
  const committed = `[main abc1234] fix typo in README\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n${hooks('Bash', 'Remember to sign commits', 'Status:\n## main')}`;
  const used = (words: string, id: string, name: string, input: object): object => ({
    role: 'assistant',
    content: [text(words), { type: 'tool_use', id, name, input }],
  });
  const resulted = (id: string, content: string): object => ({ type: 'tool_result', tool_use_id: id, content });

  interface Walkthrough {
    readonly prompt: string;
    readonly answers: () => readonly Fault[];
    /** The last request, after its first message. */
    readonly sent: readonly object[];
    /** The end of its first message. */
    readonly asked: readonly object[];
  }

  const WALKTHROUGHS: readonly (Walkthrough & { readonly name: string })[] = [
    {
      name: 'the model calls the skill, and then commits',
      prompt: 'commit my README fix',
      asked: [text('\ncommit my README fix')],
      answers: () => [
        answer('msg_1', 'tool_use', says("I'll use the commit skill."), calls('toolu_01', 'Skill', skill)),
        answer('msg_2', 'tool_use', says("I'll commit the fix."), calls('toolu_02', 'Bash', COMMIT)),
        answer('msg_3', 'end_turn', says('Committed.')),
      ],
      sent: [
        used("I'll use the commit skill.", 'toolu_01', 'Skill', skill),
        {
          role: 'user',
          content: [
            resulted('toolu_01', `Launching skill: commit\n\n${hooks('Skill', 'Remember to verify staged changes first', 'Skill expansion completed')}`),
            text(`Base directory for this skill: /skills/commit\n\n${STEPS}`),
          ],
        },
        used("I'll commit the fix.", 'toolu_02', 'Bash', COMMIT),
        { role: 'user', content: [resulted('toolu_02', committed)] },
      ],
    },
    {
      name: 'a person types the command',
      prompt: '/commit fix typo in README',
      asked: [text(`\n${header}`), text(`\nBase directory for this skill: /skills/commit\n\n${STEPS}\n\nARGUMENTS: fix typo in README`)],
      answers: () => [
        answer('msg_4', 'tool_use', says("I'll commit the fix."), calls('toolu_01ABC', 'Bash', COMMIT)),
        answer('msg_5', 'end_turn', says('Committed.')),
      ],
      sent: [used("I'll commit the fix.", 'toolu_01ABC', 'Bash', COMMIT), { role: 'user', content: [resulted('toolu_01ABC', committed)] }],
    },
  ];

  it.each(WALKTHROUGHS)('$name: rewound, repeated, restored and forked, words and files are those of their point', async ({ prompt, answers, sent, asked }) => {
    const id = await client.session({ permissionMode: 'bypassPermissions', context: { claudeMd: CLAUDE_MD } });
    /** The turn; the bodies that it has sent. */
    const run = async (session: string): Promise<readonly UnknownObject[]> => {
      const scripted = answers();
      api.next(...scripted);
      expect(await client.ask(session, prompt)).toMatchObject({ status: 'completed', stopReason: 'end_turn' });
      return bodies(scripted.length);
    };
    expect(await said(id, `${REPOSITORY} && ${STATE}`)).toBe(BEFORE);
    const start = { messages: await client.messages(id), files: await files(id) };

    const first = await run(id);
    const end = { messages: await client.messages(id), files: await files(id) };
    const last = withoutCommit(withoutMarkers(first.at(-1))).messages;
    expect(last.slice(1)).toEqual(sent);
    expect(last[0].content.slice(-asked.length)).toEqual(asked);
    expect(end.files).not.toEqual(start.files);
    const own = end.messages[start.messages.length]!.uuid;

    const rewound = await rewind(id, { before: own });
    expect({ messages: await client.messages(id), files: await files(id) }).toEqual(start);
    // With the commit still in the folder, there would be nothing to commit.
    const second = await run(id);
    expect(second[0]).toEqual(first[0]);
    expect(withoutCommit(second)).toEqual(withoutCommit(first));

    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds/${rewound}/restore`, {}), 201);
    expect({ messages: await client.messages(id), files: await files(id) }).toEqual(end);
    const [forkAtEnd, forkAtStart] = [
      expectStatus(await client.post(`/v1/sessions/${id}/forks`, { at: end.messages.at(-1)!.uuid }), 201).body.id,
      expectStatus(await client.post(`/v1/sessions/${id}/forks`, { at: start.messages.at(-1)!.uuid }), 201).body.id,
    ];
    expect(await files(forkAtEnd)).toEqual(end.files);
    expect(await files(forkAtStart)).toEqual(start.files);
    for (const session of [id, forkAtEnd]) expect(await said(session, STATE)).toBe(AFTER);
    expect(await said(forkAtStart, STATE)).toBe(BEFORE);
    expect(
      withoutCommit(await run(forkAtStart))
        .at(-1)
        .messages.slice(-sent.length),
    ).toMatchObject(withoutCommit(withoutMarkers(sent)));
    expect(await said(forkAtStart, STATE)).toBe(AFTER);
  });
});
