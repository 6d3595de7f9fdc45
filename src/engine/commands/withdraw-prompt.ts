import { defineCommand } from './define-command.js';

/** Removes a queued prompt from the queue. Withdrawing a withdrawn prompt changes nothing. */
export class WithdrawPromptCommand extends defineCommand<{ promptId: string }, { readonly withdrawn: true }>({
  action: 'session.prompt',
  rule: ({ promptId }) => ({ type: 'WithdrawPrompt', promptId }),
  answer: () => ({ withdrawn: true }),
}) {}
