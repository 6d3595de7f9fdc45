import type { ToolCall } from '../../../ports/index.js';
import type { CallRecord, SessionState } from '../../../session/state/state.js';
import { memoryOwner } from '../../../session/state/memory-owner.js';
import type { ClaimedTurn } from '../turn-reports.js';

/** A call as hooks and tools receive it: with the updated input, if a hook or user changed it. */
export function toolCall(job: ClaimedTurn, state: SessionState, call: CallRecord, now: number): ToolCall {
  const { settings, turn, prompts } = state;
  const memoryOf = memoryOwner(state, now);
  const workload = turn ? prompts.get(turn.promptId)?.submission.workload : undefined;
  const { toolUseId, name } = call;
  const { permissionMode } = settings;
  const { tenantId, sessionId, turnId } = job;
  return {
    tenantId,
    sessionId,
    turnId,
    toolUseId,
    name,
    input: call.updatedInput ?? call.input,
    permissionMode,
    ...(call.decidedBy?.kind === 'person' ? { isApproved: true } : {}),
    ...(workload === undefined ? {} : { workload }),
    ...(memoryOf === null ? {} : { memoryOf }),
  };
}
