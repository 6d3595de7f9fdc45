import type { Working, WorkingMessage } from '../working-message.js';

/**
 * Neighbouring messages of one kind become one turn, block behind block; messages of that kind without any block go. Nothing is joined to those that are
 * `closed`.
 */
export function joinNeighbours(messages: Working, kind: 'user' | 'assistant', closed: ReadonlySet<WorkingMessage> = NONE): Working {
  if (!hasWork(messages, kind, closed)) return messages;
  const result: WorkingMessage[] = [];
  let run: WorkingMessage[] = [];
  const flush = (): void => {
    const [head] = run;
    if (head) result.push(run.length === 1 ? head : { ...head, blocks: run.flatMap((message) => message.blocks) });
    run = [];
  };
  for (const message of messages) {
    if (message.kind !== kind) {
      flush();
      result.push(message);
    } else if (message.blocks.length > 0) run.push(message);
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
