import { fromBase64, toBase64 } from './base64.js';
import { HASH_BYTES } from './tree.js';
import type { TreeHead } from './verify.js';

/** The text of a checkpoint (C2SP tlog-checkpoint): origin, size and root of a tree. */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
}

export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** Null when the text is not a checkpoint. Extension lines are permitted and ignored. */
export function readCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', encoded = ''] = text.split('\n');
  const root = fromBase64(encoded);
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)) || root?.length !== HASH_BYTES) return null;
  return { origin, size: Number(size), root };
}
