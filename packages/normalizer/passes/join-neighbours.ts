import type { Working, WorkingMessage } from '../working-message.js';

/** Merges neighbouring messages of one kind into one turn and removes those without blocks. Nothing is appended to a message that is `closed`. */
export function joinNeighbours(messages: Working, kind: 'user' | 'assistant', closed: ReadonlySet<WorkingMessage> = NONE): Working {
  if (!hasWork(messages, kind, closed)) return messages;
  const result: WorkingMessage[] = [];
  let group: WorkingMessage[] = [];
  const flush = (): void => {
    const [head] = group;
    if (head) result.push(group.length === 1 ? head : { ...head, blocks: group.flatMap((message) => message.blocks) });
    group = [];
  };
  for (const message of messages) {
    if (message.kind !== kind) {
      flush();
      result.push(message);
    } else if (message.blocks.length > 0) group.push(message);
    if (closed.has(message)) flush();
  }
  flush();
  return result;
}

const NONE: ReadonlySet<WorkingMessage> = new Set();

function hasWork(messages: Working, kind: WorkingMessage['kind'], closed: ReadonlySet<WorkingMessage>): boolean {
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.kind === kind && (message.blocks.length === 0 || (messages[index + 1]?.kind === kind && !closed.has(message)))) return true;
  }
  return false;
}
