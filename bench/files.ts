import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '../test/support/client.js';
import { ServerProcess } from '../test/support/process.js';
import { processorMs } from './database-counters.js';
import { MARKS, marked } from './marks.js';
import { percentile, table } from './report.js';

const FILES = 2_000;
const FOLDERS = 40;
const TURNS = 10;
const STEPS = 11;
const PLAIN_TURNS = 60;
const DISKS = 3;

const NOTHING = 'true';
const ONE_FILE = 'head -c 100000 /dev/urandom > changed';
const MANY_FILES = `for f in $(seq ${FOLDERS}); do mkdir d$f; for n in $(seq ${FILES / FOLDERS}); do echo "$f $n" > d$f/n$n; done; done`;

const bash = (command: string): string => `{{tool Bash ${JSON.stringify({ command })}}}`;

/** What recording the files of a session adds to steps and turns: the same work on a server that records and on one that does not. */
export async function benchFiles(environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const data = await mkdtemp(path.join(tmpdir(), 'verbatim-bench-files-'));
  await chmod(data, 0o711); // for the accounts of sessions
  const servers: ServerProcess[] = [];
  const start = async (disk: string, isRecording: boolean): Promise<ServerProcess> => {
    const settings = { TOOLS: 'Bash', WORKSPACE_HISTORY: String(isRecording), DATA_DIR: path.join(data, disk) };
    const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment, ...settings });
    servers.push(server);
    return server;
  };
  const stop = (): Promise<unknown> => Promise.all(servers.splice(0).map((server) => server.stop()));
  try {
    const plain = await costs(await start('plain', false), token);
    await stop();
    const recording = await start('recording', true);
    const recorded = await costs(recording, token);
    const made: number[] = [];
    for (let disk = 0; disk < DISKS; disk += 1) made.push(await making(await start(`disk-${disk}`, true), token, recorded.session));
    const row = (label: string, of: 'nothing' | 'oneFile' | 'turn', mark: string): readonly [string, ...string[]] => [
      label,
      ...[recorded[of], plain[of], recorded[of] - plain[of]].map((ms) => ms.toFixed(2)),
      mark,
    ];
    table(`Files of a session, ${FILES} in its folder: CPU of the server (ms) with the record of files, without, the difference`, [
      row('a step that has changed nothing', 'nothing', marked(MARKS.filesUnchangedStepMs)),
      row('a step that has changed one file of 100 KB', 'oneFile', marked(MARKS.filesChangedStepMs)),
      row('a turn without tools', 'turn', ''),
      ['versions for each step that has changed a file', recorded.versions.toFixed(2), '', '', ''],
      ['a folder that is made on another disk (ms by the clock)', percentile(made, 0.5).toFixed(0), '', '', marked(MARKS.filesMadeMs)],
    ]);
  } finally {
    await stop();
    await rm(data, { recursive: true, force: true });
  }
}

interface Costs {
  readonly session: string;
  readonly nothing: number;
  readonly oneFile: number;
  readonly turn: number;
  readonly versions: number;
}

/** CPU milliseconds of a step: what a turn of many has more than one of one, so that what a turn costs is not in it. */
async function costs(server: ServerProcess, token: string): Promise<Costs> {
  const client = server.client(token);
  const session = await client.session({ permissionMode: 'bypassPermissions' });
  await completed(client, session, bash(MANY_FILES));
  const step = async (command: string): Promise<number> => {
    const turns = (steps: number): Promise<number> => used(server, TURNS, () => completed(client, session, bash(command).repeat(steps)));
    await turns(STEPS);
    const one = await turns(1);
    return ((await turns(STEPS)) - one) / (STEPS - 1);
  };
  const nothing = await step(NOTHING);
  const before = await changes(client, session);
  const oneFile = await step(ONE_FILE);
  const versions = ((await changes(client, session)) - before) / (TURNS * (2 * STEPS + 1));
  const plain = (): Promise<number> => used(server, PLAIN_TURNS, () => completed(client, session, 'no tool'));
  await plain();
  return { session, nothing, oneFile, versions, turn: await plain() };
}

async function used(server: ServerProcess, times: number, work: () => Promise<void>): Promise<number> {
  const before = await processorMs(server.pid);
  for (let n = 0; n < times; n += 1) await work();
  return ((await processorMs(server.pid)) - before) / times;
}

/** Milliseconds that the first turn with the folder takes longer than the next ones. */
async function making(server: ServerProcess, token: string, session: string): Promise<number> {
  const client = server.client(token);
  const timed = async (id: string): Promise<number> => {
    const started = performance.now();
    await completed(client, id, bash(NOTHING));
    return performance.now() - started;
  };
  await timed(await client.session({ permissionMode: 'bypassPermissions' }));
  await completed(client, session, 'no tool'); // loads the session
  const first = await timed(session);
  return first - percentile([await timed(session), await timed(session), await timed(session)], 0.5);
}

async function completed(client: Client, session: string, prompt: string): Promise<void> {
  const turn = await client.ask(session, prompt);
  if (turn.status !== 'completed') throw new Error(`the turn ended as ${turn.status}: ${JSON.stringify(turn.error)}`);
}

const changes = async (client: Client, session: string): Promise<number> =>
  (await client.events(session)).filter(({ type }) => type === 'workspace.changed').length;
