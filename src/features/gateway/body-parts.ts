import { hash } from 'node:crypto';
import { splitParts } from '../../../packages/protocol/request/exact-body.js';
import type { Pace } from '../../engine/queries/pace.js';

/** The text of a body in parts, with the digest of each. */
export interface BodyParts {
  readonly parts: readonly string[];
  readonly digests: readonly string[];
  /** Of each message the digest of its part. */
  readonly messages: readonly string[];
}

/** Takes time linear in the text, and lets others run. */
export async function bodyParts(text: string, pace: Pace): Promise<BodyParts> {
  const { parts, messages } = splitParts(text);
  const digests: string[] = [];
  for (const part of parts) {
    digests.push(shortDigest(part));
    await pace.after(part.length);
  }
  return { parts, digests, messages: messages.map((part) => digests[part]!) };
}

export const shortDigest = (text: string): string => hash('sha256', text).slice(0, 32);
