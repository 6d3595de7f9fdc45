import type { Event, Message } from '@verbatim/client';

export interface Step {
  readonly uuid: string;
  readonly by: string;
  readonly text: string;
  readonly at: string;
}

/** The messages from after `from` to `tip`, oldest first, as the log has them, on whatever branch. */
export function pathTo(events: readonly Event[], tip: string, from: string | null): readonly Step[] {
  const messages = new Map<string, Message>();
  for (const event of events) if (event.type === 'message.appended' && !event.erased) messages.set(event.data.message.uuid, event.data.message as Message);
  const steps: Step[] = [];
  for (let at: string | null = tip; at !== null && at !== from;) {
    const message: Message | undefined = messages.get(at);
    if (!message) break;
    const step = stepOf(message);
    if (step) steps.unshift(step);
    at = message.parentUuid;
  }
  return steps;
}

function stepOf(message: Message): Step | null {
  const { uuid, timestamp } = message;
  if (message.type === 'assistant') return { uuid, by: 'answer', at: timestamp, text: textOf(message.message.content) };
  if (message.type !== 'user' || message.isMeta) return null;
  return { uuid, by: 'prompt', at: timestamp, text: typeof message.content === 'string' ? message.content : textOf(message.content) };
}

function textOf(blocks: readonly { readonly type: unknown }[]): string {
  return blocks.map((block) => ('text' in block && typeof block.text === 'string' ? block.text : `[${String(block.type)}]`)).join('\n');
}
