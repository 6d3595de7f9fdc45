import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS, SettingsError } from '../../platform/config/env.js';
import { Cryptography, type SignedCheckpoint, TransparencyLog } from '../../ports/index.js';
import { checkpointText, extensionsOf } from '../../../packages/proofs/checkpoint.js';
import { isKeyName, type NoteKey, openNote, readSignerKey, signedNote, signerKey, verifierKey } from '../../../packages/proofs/note.js';
import type { TreeHead } from '../../../packages/proofs/verify.js';

/** Random bytes in the name of a log for which no name is configured. */
const NAME_BYTES = 4;
const SEED_BYTES = 32;

/** Signs checkpoints with the key of the setting TLOG_KEY, or with one that the first process has stored in the database. */
@Injectable()
export class CheckpointSigner {
  #seed: Promise<NoteKey> | null = null;

  constructor(
    private readonly log: TransparencyLog,
    private readonly cryptography: Cryptography,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'TLOG_KEY' | 'TLOG_ORIGIN'>,
  ) {}

  /** `before`: the checkpoint before, of which the lines are kept that name the log which this one continues. */
  async sign(head: TreeHead, before: SignedCheckpoint | null = null): Promise<Omit<SignedCheckpoint, 'createdAt'>> {
    const { seed, publicKey } = await this.#key();
    const { sha256 } = this.cryptography;
    const signed = before && openNote(sha256, before.note, publicKey, (...given) => this.cryptography.verify(...given));
    const text = checkpointText({ origin: seed.name, ...head }, signed === null ? [] : extensionsOf(signed));
    const note = signedNote(sha256, text, publicKey, (bytes) => this.cryptography.sign(seed.key, bytes));
    return { ...head, note, verifier: verifierKey(sha256, publicKey) };
  }

  /** A note with this text, which ends with a newline and must be that of no checkpoint. */
  async signText(text: string): Promise<string> {
    const { seed, publicKey } = await this.#key();
    return signedNote(this.cryptography.sha256, text, publicKey, (bytes) => this.cryptography.sign(seed.key, bytes));
  }

  async #key(): Promise<{ readonly seed: NoteKey; readonly publicKey: NoteKey }> {
    this.#seed ??= this.#read();
    const seed = await this.#seed.catch((error: unknown) => {
      this.#seed = null;
      throw error;
    });
    return { seed, publicKey: { name: seed.name, key: this.cryptography.publicKey(seed.key) } };
  }

  async #read(): Promise<NoteKey> {
    const { TLOG_KEY, TLOG_ORIGIN } = this.settings;
    const text = TLOG_KEY ?? (await this.log.storedSigner(this.#created()));
    const seed = readSignerKey(text);
    if (!seed || signerKey(this.cryptography.sha256, seed, this.cryptography.publicKey(seed.key)) !== text) {
      throw new SettingsError('TLOG_KEY is not a private key of a signed note; `verbatim tlog-key NAME` prints one.');
    }
    if (TLOG_ORIGIN !== undefined && TLOG_ORIGIN !== seed.name) {
      throw new SettingsError(`TLOG_ORIGIN is ${TLOG_ORIGIN}, but the key of the transparency log has the name ${seed.name}, which cannot change.`);
    }
    return seed;
  }

  #created(): string {
    return newSignerKey(this.cryptography, this.settings.TLOG_ORIGIN ?? `verbatim-${Buffer.from(this.cryptography.randomBytes(NAME_BYTES)).toString('hex')}`);
  }
}

/** A new private key as text. */
export function newSignerKey(cryptography: Cryptography, name: string): string {
  if (!isKeyName(name))
    throw new SettingsError(`${JSON.stringify(name)} cannot name a transparency log: it must not be empty or contain spaces or plus signs.`);
  const seed = cryptography.randomBytes(SEED_BYTES);
  return signerKey(cryptography.sha256, { name, key: seed }, cryptography.publicKey(seed));
}
