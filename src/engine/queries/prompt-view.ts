import { DomainError } from '../../../packages/protocol/errors.js';
import type { ClientSubmission } from '../../session/prompt/accept.js';
import { resubmissionAt, resubmissionOf } from '../../session/prompt/resubmission.js';
import type { SessionState } from '../../session/state/state.js';

export interface PromptView {
  readonly version: number;
  /** The submission, in the form in which a client can send it again. */
  readonly prompt: ClientSubmission;
}

/** `id`: of a prompt, which may wait in the queue, or of its message. */
export function promptView(state: SessionState, id: string): PromptView {
  const prompt = resubmissionOf(state, id) ?? resubmissionAt(state, id);
  // What requests a compaction has its own route, and no text that was a prompt.
  if (prompt === null || prompt.mode === 'compact') throw new DomainError('prompt_not_found', 'There is no prompt with this id in the session.');
  if (isErased(state, id))
    throw new DomainError('prompt_not_found', 'The content of this prompt was erased, so there is nothing to send again; write a new prompt.');
  return { version: state.version, prompt };
}

function isErased(state: SessionState, id: string): boolean {
  const uuid = state.prompts.get(id)?.submission.uuid ?? id;
  return state.erased || state.messages.get(uuid)?.message.erased === true;
}
