import type { Job, ToolCall } from '../../core/ports.js';
import type { CallRecord, SessionState } from '../../core/session/state.js';

/** A call as hooks and tools receive it: with the updated input, if a hook or user changed it. */
export function toolCall(job: Job['payload'], { settings, turn, prompts }: SessionState, call: CallRecord): ToolCall {
  const workload = turn ? prompts.get(turn.promptId)?.submission.workload : undefined;
  const { toolUseId, name } = call;
  const { permissionMode } = settings;
  return { ...job, toolUseId, name, input: call.updatedInput ?? call.input, permissionMode, ...(workload === undefined ? {} : { workload }) };
}
