import type { Json } from '../../../packages/protocol/message/content.js';
import type { Chunk } from './chunks.js';

/** A message as the AI SDK keeps it in a chat. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly metadata?: Json;
  readonly parts: readonly UiPart[];
}

export type UiPart = { readonly type: string; readonly [member: string]: Json | undefined };

type Open = { type: string; [member: string]: unknown };

/** The parts of a UI message after `chunks`: what the client of the AI SDK makes of the same stream. */
export function partsAfter(chunks: readonly Chunk[]): readonly UiPart[] {
  const parts: Open[] = [];
  let open = new Map<string, Open>();
  const call = (id: string): Open | undefined => parts.findLast((part) => part['toolCallId'] === id);
  const add = (part: Open): Open => {
    parts.push(part);
    return part;
  };
  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'start-step':
        add({ type: 'step-start' });
        break;
      case 'finish-step':
        open = new Map();
        break;
      case 'reset-step':
        parts.length = parts.findLastIndex(({ type }) => type === 'step-start') + 1;
        open = new Map();
        break;
      case 'text-start':
        open.set(chunk.id, add({ type: 'text', text: '', state: 'streaming' }));
        break;
      case 'reasoning-start':
        open.set(chunk.id, add({ type: 'reasoning', id: chunk.id, text: '', state: 'streaming' }));
        break;
      case 'text-delta':
      case 'reasoning-delta': {
        const part = open.get(chunk.id);
        if (part) part['text'] = String(part['text']) + chunk.delta;
        break;
      }
      case 'text-end':
      case 'reasoning-end': {
        const part = open.get(chunk.id);
        if (part) part['state'] = 'done';
        break;
      }
      case 'tool-input-available': {
        const { toolCallId, toolName, input, providerExecuted } = chunk;
        const given = { type: 'dynamic-tool', toolName, toolCallId, state: 'input-available', input, ...(providerExecuted ? { providerExecuted } : {}) };
        add(given);
        break;
      }
      case 'tool-approval-request':
        Object.assign(call(chunk.toolCallId) ?? {}, { state: 'approval-requested', approval: { id: chunk.approvalId } });
        break;
      case 'tool-approval-response': {
        const { approvalId: id, approved, reason } = chunk;
        Object.assign(call(id) ?? {}, { state: 'approval-responded', approval: { id, approved, ...(reason === undefined ? {} : { reason }) } });
        break;
      }
      case 'tool-output-available':
        Object.assign(call(chunk.toolCallId) ?? {}, { state: 'output-available', output: chunk.output });
        break;
      case 'tool-output-error':
        Object.assign(call(chunk.toolCallId) ?? {}, { state: 'output-error', errorText: chunk.errorText });
        break;
      case 'tool-output-denied':
        Object.assign(call(chunk.toolCallId) ?? {}, { state: 'output-denied' });
        break;
      case 'source-url':
      case 'data-notice':
        add({ ...chunk });
        break;
      default: // nothing of a complete message
    }
  }
  return parts as readonly UiPart[];
}
