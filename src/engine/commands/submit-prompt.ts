import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ClientSubmission } from '../../session/prompt/accept.js';
import type { CommandResult } from './context.js';
import { defineCommand } from './define-command.js';
import { PromptSubmission, type SubmissionAnswer, type SubmissionTerms } from './prompt-submission.js';

/** Submits a prompt: it starts a turn, is queued, or is answered at once. `submission`: as the client sent it, shape validated, text unchanged. */
export class SubmitPromptCommand extends defineCommand<{ submission: ClientSubmission; terms: SubmissionTerms }, SubmissionAnswer>({
  action: 'session.prompt',
}) {}

@CommandHandler(SubmitPromptCommand)
export class SubmitPromptHandler implements ICommandHandler<SubmitPromptCommand> {
  constructor(private readonly prompts: PromptSubmission) {}

  execute({ context, submission, terms }: SubmitPromptCommand): Promise<CommandResult & SubmissionAnswer> {
    return this.prompts.submit(context, submission, terms);
  }
}
