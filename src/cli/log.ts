import { JsonLinesFile } from '../features/proofs/anchors/json-lines-file.js';
import { withConnection } from '../platform/postgres/connect.js';
import { NodeCryptography } from '../platform/system/node-cryptography.js';
import { PostgresTransparencyLog } from '../features/proofs/log-store/postgres-transparency-log.js';
import { beginLog, continueLog, isOfAnotherServer, LogInUse } from '../features/proofs/log-store/restart.js';
import { readSettings, type Settings } from '../platform/config/env.js';
import type { SignedCheckpoint } from '../ports/index.js';
import { type Checkpoint, checkpointText, continuationOf, extensionsOf, isContinuation, readCheckpoint } from '../../packages/proofs/checkpoint.js';
import { openNote, readSignerKey, readVerifierKey, signedNote, verifierKey } from '../../packages/proofs/note.js';
import { rootOf } from '../../packages/proofs/tree.js';
import { LogAudit } from '../engine/audit/log-audit.js';
import { TransparencyQueries } from '../engine/audit/transparency-queries.js';
import { newSignerKey } from '../features/proofs/checkpoint-signer.js';
import { UsageError } from './usage-error.js';
import { withDatabase } from './with-database.js';

const cryptography = new NodeCryptography();
const { sha256 } = cryptography;

interface State {
  readonly settings: Settings;
  readonly file: JsonLinesFile;
  readonly head: SignedCheckpoint | null;
  /** The newest checkpoint in the anchor file that the log's key has signed. */
  readonly anchored: Checkpoint | null;
  readonly problem: string | null;
  readonly isMoved: boolean;
}

class NotDone extends Error {}

/** `verbatim log`; see docs/proofs.md, Restoring. */
export async function run([command, ...rest]: readonly string[]): Promise<number> {
  const [name] = rest.filter((arg) => arg !== '--force');
  if (!command || !['status', 'continue', 'begin'].includes(command) || (command === 'begin') !== (name !== undefined)) {
    throw new UsageError('What to do is not said.');
  }
  const settings = readSettings(process.env);
  const file = new JsonLinesFile(settings.ANCHOR_FILE);
  return withDatabase(settings, 'log', async (_, { ownerUrl, appUrl }) => {
    const log = new PostgresTransparencyLog({ url: appUrl, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName: 'verbatim log' });
    try {
      return await withConnection(ownerUrl, settings.DATABASE_TIMEOUT_MS, async (owner) => {
        const audit = new LogAudit(log, new TransparencyQueries(log, cryptography), cryptography, file, { TLOG_KEY: undefined });
        const { problem, anchored } = await audit.heads();
        const state: State = { settings, file, head: await log.head(), anchored, problem, isMoved: await isOfAnotherServer(owner) };
        if (command === 'status') return report(state);
        if (command === 'continue') {
          requireContinuable(state);
          const left = await continueLog(owner, state.head!.size);
          say(`The log continues after ${state.head!.size} leaves. ${left} events are not in it yet; the workers add them when the server is started.`);
          return 0;
        }
        const isForced = rest.includes('--force');
        await begin(state, { origin: name!, isForced }, (checkpoint, signer) => beginLog(owner, state.head?.size ?? null, checkpoint, signer));
        return 0;
      });
    } catch (error) {
      if (!(error instanceof NotDone) && !(error instanceof LogInUse)) throw error;
      process.stderr.write(`${error.message}\n`);
      return 1;
    } finally {
      await log.close();
    }
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Says what is to be done; 0 when nothing is. */
function report({ head, anchored, problem, isMoved }: State): number {
  if (!head && problem === null) {
    say('There is no transparency log yet. The first worker begins it.');
    return 0;
  }
  if (head) say(`${originOf(head)}: ${head.size} leaves, checkpoint of ${head.createdAt}.`);
  if (anchored) say(`The anchor file has a checkpoint of ${anchored.size} leaves of this log.`);
  if (problem !== null) say(`${problem}. If that is the result of a restore, and accepted: verbatim log begin NAME`);
  else if (isMoved) say('The tables come from a dump of another server: nothing is added to the log. Next: verbatim log continue');
  else say('It continues by itself.');
  return problem !== null || isMoved ? 1 : 0;
}

function requireContinuable({ head, problem, isMoved }: State): void {
  if (!head) throw new NotDone('There is no transparency log that could continue.');
  if (problem !== null) throw new NotDone(`The log cannot continue: ${problem}. Another log can be begun: verbatim log begin NAME`);
  if (!isMoved) throw new NotDone('There is nothing to do: the log is of this server and continues by itself.');
}

async function begin(
  state: State,
  { origin, isForced }: { readonly origin: string; readonly isForced: boolean },
  store: (checkpoint: Omit<SignedCheckpoint, 'createdAt'>, signer: string | null) => Promise<string>,
): Promise<void> {
  const { settings, file, head, problem, isMoved } = state;
  if (head && originOf(head) === origin && extensionsOf(head.note).some(isContinuation) && (await isFinished(file, head, problem)))
    return say(`${origin} has begun already.`);
  const last = await lastKnown(state);
  if (!last) throw new NotDone('There is no transparency log yet. The first worker begins it.');
  if (last.origin === origin) throw new NotDone(`The old log has this name. Two logs of one name contradict each other: choose another one than ${origin}.`);
  if (problem === null && !isForced) {
    const instead = isMoved ? 'It can go on: verbatim log continue.' : 'It continues by itself.';
    throw new NotDone(`Nothing is wrong with the log. ${instead} With --force another one is begun all the same.`);
  }
  const signer = signerOf(settings, origin);
  const seed = readSignerKey(signer)!;
  const key = { name: seed.name, key: cryptography.publicKey(seed.key) };
  const root = rootOf(sha256, []);
  const note = signedNote(sha256, checkpointText({ origin, size: 0, root }, [continuationOf(last)]), key, (text) => cryptography.sign(seed.key, text));
  const checkpoint = { size: 0, root, note, verifier: verifierKey(sha256, key) };
  const past = await store(checkpoint, settings.TLOG_KEY === undefined ? signer : null);
  await file.append(note, new Date().toISOString());
  say(`${origin} begins; every event is added to it when the server is started. Its public key: ${checkpoint.verifier}`);
  say(`Each of its checkpoints says: ${continuationOf(last)}`);
  say(`The tables of the old log are in the schema ${past}. Tell those who keep checkpoints, and witnesses, the new key.`);
}

/** A repeat: after a failure between its two steps, the anchor file does not have the new log yet. False: something else is wrong with it. */
async function isFinished(file: JsonLinesFile, head: SignedCheckpoint, problem: string | null): Promise<boolean> {
  if (problem === null) return true;
  const newest = await file.newest();
  const isKnown = newest !== null && openNote(sha256, newest, readVerifierKey(sha256, head.verifier)!, (...given) => cryptography.verify(...given)) !== null;
  if (isKnown || newest === null) return false;
  await file.append(head.note, new Date().toISOString());
  return true;
}

/** The newest checkpoint of the old log, in the database or in the anchor file. A checkpoint in the file of another key than that of the database is taken as it is: the file is the operator's. */
async function lastKnown({ file, head, anchored }: State): Promise<Checkpoint | null> {
  const stored = head && { origin: originOf(head), size: head.size, root: head.root };
  const kept = anchored ?? (await inFile(file));
  if (!stored || !kept) return stored ?? kept;
  return kept.size > stored.size ? kept : stored;
}

async function inFile(file: JsonLinesFile): Promise<Checkpoint | null> {
  const note = await file.newest();
  return note === null ? null : readCheckpoint(note);
}

function originOf({ note }: SignedCheckpoint): string {
  return readCheckpoint(note)?.origin ?? '';
}

/** The configured key, which has to be of the new log, or a new one. */
function signerOf({ TLOG_KEY }: Pick<Settings, 'TLOG_KEY'>, origin: string): string {
  if (TLOG_KEY === undefined) return newSignerKey(cryptography, origin);
  if (readSignerKey(TLOG_KEY)?.name === origin) return TLOG_KEY;
  throw new NotDone(`TLOG_KEY is the key of another log. Make one with \`verbatim tlog-key ${origin}\`, set TLOG_KEY to it in all processes, and repeat.`);
}
