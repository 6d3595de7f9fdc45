import { isBoundary, segmentsOf } from '../segments.js';
import type { Message, StoredMessage } from '../../protocol/message/message.js';
import type { Pass } from '../pass.js';
import type { Working, WorkingMessage } from '../working-message.js';

/**
 * After a compaction the conversation consists of its summary, the turns it kept, and what came later. The entries of a session are already selected so;
 * messages given by a caller contain the whole branch. First of all passes: it needs every entry of the branch.
 */
export const dropSummarized: Pass = {
  name: 'drop-summarized',
  reason: { dropped: 'a later compaction summarized it', moved: 'a compaction precedes the turns it kept' },
  apply: (messages) => (messages.some(isCompaction) ? sinceCompaction(messages) : messages),
};

const isCompaction = ({ original }: WorkingMessage): boolean => original?.type === 'system' && isBoundary(original);

function sinceCompaction(messages: Working): Working {
  const byMessage = new Map<Message, WorkingMessage>();
  for (const message of messages) if (message.original) byMessage.set(message.original, message);
  const { carried, kept, later } = segmentsOf([...byMessage.keys()].filter(isStored));
  const entries = [...carried, ...kept, ...later];
  const isUnchanged = carried.length === 0 || (entries.length === messages.length && entries.every((entry, index) => entry === messages[index]?.original));
  return isUnchanged ? messages : entries.map((entry) => byMessage.get(entry) as WorkingMessage);
}

const isStored = (message: Message): message is StoredMessage => message.type !== 'progress';
