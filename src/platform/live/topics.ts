import { ERASURES, erasedSession, EVERY_SESSION, unfinishedSession } from '../../ports/index.js';

/** What every process receives: who is there, that some log has grown, and erasures. */
export const ALL = '{all}';

/** All other signals go by bucket, hints apart from deltas. What is in braces is the same for both, so that a Redis Cluster keeps them on one node and in order. */
export const hintsOf = (channel: string, buckets: number): string => (isForAll(channel) ? ALL : `${bucketOf(channel, buckets)}h`);
export const deltasOf = (channel: string, buckets: number): string => `${bucketOf(channel, buckets)}d`;

export const areDeltas = (topic: string): boolean => topic.endsWith('d');

const isForAll = (channel: string): boolean => channel === EVERY_SESSION || channel === ERASURES || erasedSession(channel) !== null;

/** Processes with another number of buckets use other topics. Who answers in a session receives its bucket already. */
const bucketOf = (channel: string, buckets: number): string => `{${buckets}.${hash(unfinishedSession(channel) ?? channel) % buckets}}`;

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
