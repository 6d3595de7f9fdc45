import type { Json } from '../../../packages/protocol/message/content.js';
import { defineCommand } from './define-command.js';

export interface ToolDecision {
  readonly toolUseId: string;
  readonly decision: 'allow' | 'reject' | 'cancel';
  /** With `reject`: text for the model. */
  readonly feedback: string | null;
  /** With `allow`: replaces the input of the call. */
  readonly updatedInput: { readonly [key: string]: Json } | null;
}

/** A user's decision about a tool call that awaits one. */
export class DecideToolCommand extends defineCommand<{ decision: ToolDecision }, Pick<ToolDecision, 'toolUseId' | 'decision'>>({
  action: 'session.tools',
  rule: async ({ context: { principal }, decision }, { clock, gates }) => ({
    type: 'DecideTool',
    ...decision,
    by: principal.userId,
    at: clock.timestamp(),
    seed: clock.uuid(),
    gates: await gates.intake(principal.tenantId),
  }),
  answer: (_, { decision: { toolUseId, decision } }) => ({ toolUseId, decision }),
}) {}
