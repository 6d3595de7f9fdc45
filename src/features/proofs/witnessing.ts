import { Injectable } from '@nestjs/common';
import { Cryptography, type SignedCheckpoint, Webhooks } from '../../ports/index.js';
import { cosignatureIn } from '../../../packages/proofs/cosignature.js';
import type { NoteKey } from '../../../packages/proofs/note.js';
import { TransparencyQueries } from '../../engine/audit/transparency-queries.js';

/** A party that signs checkpoints which continue the one that it signed before. */
export interface Witness {
  readonly key: NoteKey;
  /** Where it takes checkpoints: the address before `/add-checkpoint`. */
  readonly url: string;
}

/** Asks witnesses for their cosignatures, in the protocol C2SP tlog-witness. */
@Injectable()
export class Witnessing {
  /** The size of the checkpoint that each witness has signed last, as far as this process knows. */
  readonly #signed = new Map<string, number>();

  constructor(
    private readonly queries: TransparencyQueries,
    private readonly cryptography: Cryptography,
    private readonly webhooks: Webhooks,
  ) {}

  /** The signature line of the witness; rejected when it refuses, or answers with something else. */
  async cosign({ key, url }: Witness, head: SignedCheckpoint): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const old = this.#signed.get(key.name) ?? 0;
      const { hashes } = old === 0 ? { hashes: [] } : await this.queries.consistency(old, head.size);
      const body = [`old ${old}`, ...hashes, '', head.note].join('\n');
      const answer = await this.webhooks.send(`${url.replace(/\/$/, '')}/add-checkpoint`, 'text/plain', body);
      const text = new TextDecoder().decode(answer.body);
      // It has signed another checkpoint: the answer is its size.
      if (answer.status === 409 && attempt === 1 && /^\d{1,15}\n?$/.test(text) && Number(text) <= head.size) {
        this.#signed.set(key.name, Number(text));
        continue;
      }
      if (answer.status === 409) throw new Error(`the witness has signed a checkpoint that this log does not continue: ${text.slice(0, 20).trim()} leaves`);
      if (answer.status !== 200) throw new Error(`the witness answered with status ${answer.status}`);
      const { sha256, verify } = this.cryptography;
      const checkpoint = head.note.slice(0, head.note.lastIndexOf('\n\n') + 1);
      const found = cosignatureIn(sha256, text, checkpoint, key, verify);
      if (!found) throw new Error('the answer has no valid cosignature of the witness');
      this.#signed.set(key.name, head.size);
      return found.line;
    }
  }
}
