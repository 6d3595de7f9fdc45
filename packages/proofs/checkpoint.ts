import { fromBase64, toBase64 } from './base64.js';
import { HASH_BYTES } from './tree.js';
import type { TreeHead } from './verify.js';

/** The text of a checkpoint (C2SP tlog-checkpoint): origin, size and root of a tree. */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
}

/** `extensions`: further lines that the signature covers. */
export function checkpointText({ origin, size, root }: Checkpoint, extensions: readonly string[] = []): string {
  return [origin, size, toBase64(root), ...extensions, ''].join('\n');
}

/** The further lines of a checkpoint's text. */
export function extensionsOf(text: string): readonly string[] {
  return text.split('\n').slice(3, -1);
}

/** The line of a log that names the last known checkpoint of the log that it continues. */
export function continuationOf({ origin, size, root }: Checkpoint): string {
  return `${CONTINUES}${origin} ${size} ${toBase64(root)}`;
}

const CONTINUES = 'continues ';

export const isContinuation = (line: string): boolean => line.startsWith(CONTINUES);

/** Null when the text is not a checkpoint. Extension lines are permitted and ignored. */
export function readCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', encoded = ''] = text.split('\n');
  const root = fromBase64(encoded);
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)) || root?.length !== HASH_BYTES) return null;
  return { origin, size: Number(size), root };
}
