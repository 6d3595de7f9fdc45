import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Sessions } from '../../ports/index.js';
import { lastPrompt, resubmissionAt } from '../../session/prompt/resubmission.js';
import { requireAccess } from '../../session/state/access.js';
import type { SessionState } from '../../session/state/state.js';
import { isOnPath } from '../../session/state/tree.js';
import type { CommandResult } from './context.js';
import { defineCommand } from './define-command.js';
import { Executor } from './execute.js';
import { PromptSubmission, type SubmissionAnswer, submissionAnswer } from './prompt-submission.js';

export interface RegenerationRequest {
  /** Uuid of the prompt's message; null: the newest prompt of the conversation. */
  readonly prompt: string | null;
  readonly whenBusy: 'reject' | 'interrupt';
}

/** Regenerates the answer to a prompt: rewinds to before it and submits it unchanged, in one append. */
export class RegenerateCommand extends defineCommand<RegenerationRequest, SubmissionAnswer>({ action: 'session.prompt' }) {}

@CommandHandler(RegenerateCommand)
export class RegenerateHandler implements ICommandHandler<RegenerateCommand> {
  constructor(
    private readonly prompts: PromptSubmission,
    private readonly executor: Executor,
    private readonly sessions: Sessions,
  ) {}

  async execute({ context, prompt, whenBusy }: RegenerateCommand): Promise<CommandResult & SubmissionAnswer> {
    const { principal, sessionId } = context;
    const state = await this.sessions.load(principal.tenantId, sessionId);
    requireAccess(state, principal);
    const before = prompt ?? lastPrompt(state);
    const given = before === null ? null : resubmissionAt(state, before);
    const isGone = before !== null && isErased(state, before);
    const isCurrent = before !== null && isOnPath(state, before);
    // On a repeat the prompt is gone from the conversation: the first execution has replaced it.
    const earlier = await this.executor.replay(context);
    if (earlier) return submissionAnswer(earlier);
    if (before === null) throw new DomainError('prompt_not_found', 'The conversation has no prompt; there is no answer to regenerate.');
    if (!isCurrent) {
      throw new DomainError('message_not_on_path', 'This message is not part of the current conversation; restore its branch first.', [
        { pointer: '/prompt', text: 'is not a message of the current conversation' },
      ]);
    }
    if (isGone) {
      throw new DomainError('prompt_not_found', 'The content of this prompt was erased, so there is nothing to send again; write a new prompt.', [
        ...(prompt === null ? [] : [{ pointer: '/prompt', text: 'names a prompt that was erased' }]),
      ]);
    }
    if (given === null) {
      throw new DomainError('prompt_not_found', 'Only the answer to a prompt can be regenerated; this message is not a prompt.', [
        { pointer: '/prompt', text: 'is not the message of a prompt' },
      ]);
    }
    return this.prompts.submit(context, given, { whenBusy, replaces: { before, cause: 'regenerate' } });
  }
}

const isErased = (state: SessionState, uuid: string): boolean => state.messages.get(uuid)?.message.erased === true;
