import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client, type UnknownObject } from '../../test/support/client.js';
import { expectNothingLost } from '../../test/support/ledger.js';
import { eventually } from './eventually.js';
import type { Load, Told } from './load.js';
import type { Servers } from './servers.js';

/** Compiled, this file lies in dist/ops/rigs. */
const COMMAND = fileURLToPath(new URL('../../../bin/verbatim', import.meta.url));

/** A line of the table. `problem`: what is wrong, else null. */
export interface Line {
  readonly label: string;
  readonly value: string;
  readonly problem: string | null;
}

/** What was told to users, held against what is there now. */
export async function ledgerOf(load: Load, servers: Servers): Promise<readonly Line[]> {
  const client = new Client(servers.urls[0]!, servers.token);
  let [acknowledged, kept, served] = [0, 0, 0];
  const problems: Record<'kept' | 'served' | 'log', string[]> = { kept: [], served: [], log: [] };
  for (const told of load.told) {
    await eventually('the session is at rest', async () => (await client.get(`/v1/sessions/${told.sessionId}`)).body.status === 'idle');
    const events = await client.events(told.sessionId);
    acknowledged += told.prompts.length;
    kept += keptOf(events, told);
    const changed = [...told.served].filter(([seq, text]) => JSON.stringify(events[seq - 1]) !== text).map(([seq]) => seq);
    served += told.served.size;
    if (changed.length > 0) problems.served.push(`session ${told.sessionId}: events ${changed.join(', ')} were served and are not in the log`);
    await noting(problems.kept, () =>
      expectNothingLost(
        client,
        told.sessionId,
        told.prompts.map(({ promptId }) => promptId),
      ),
    );
    await noting(problems.log, () => untilInLog(client, told.sessionId));
  }
  await noting(problems.log, () => verbatim(servers.settings, 'log', 'status'));
  return [
    { label: 'acknowledged prompts', value: String(acknowledged), problem: acknowledged > 0 ? null : 'there was no load' },
    { label: 'kept, each answered once, audit valid', value: String(kept), problem: first(problems.kept) },
    { label: 'events served, all in the log', value: String(served), problem: first(problems.served) },
    { label: 'requests repeated with their key', value: String(load.retried), problem: null },
    { label: 'hard errors', value: String(load.errors.length), problem: first(load.errors) },
    { label: 'transparency log', value: problems.log.length === 0 ? 'verified' : 'wrong', problem: first(problems.log) },
  ];
}

/** Runs a command of operators; resolves to what it prints. A command that fails throws with its output. */
export function verbatim(settings: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings };
    execFile(process.execPath, [COMMAND, ...words], { env }, (error, stdout, stderr) =>
      error ? reject(new Error(`verbatim ${words.join(' ')} ended with ${error.code}: ${stdout}${stderr}`)) : resolve(stdout),
    );
  });
}

function keptOf(events: readonly UnknownObject[], { prompts }: Told): number {
  const ended = new Set(events.filter(({ type }) => type === 'turn.completed').map(({ data }) => data.turnId));
  const answered = events.filter(({ type, data }) => type === 'turn.started' && ended.has(data.turnId)).map(({ data }) => data.promptId);
  return prompts.filter(({ promptId }) => answered.filter((other) => other === promptId).length === 1).length;
}

async function untilInLog(client: Client, sessionId: string): Promise<void> {
  const path = `/v1/sessions/${sessionId}/audit`;
  let audit: UnknownObject = null;
  await eventually('all events are in the transparency log', async () => {
    audit = (await client.get(path)).body;
    return !audit.valid || audit.transparencyLog?.events === audit.events;
  });
  if (!audit.valid) throw new Error(`session ${sessionId}: ${JSON.stringify(audit)}`);
}

async function noting(problems: string[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    problems.push((error as Error).message);
  }
}

const first = (problems: readonly string[]): string | null =>
  problems.length === 0 ? null : `${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`;
