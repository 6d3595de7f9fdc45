import { ULTRAPLAN } from '../../session/prompt/route.js';
import type { PromptCommand } from './slash-command.js';

export const ultraplan: PromptCommand = {
  kind: 'prompt',
  name: ULTRAPLAN,
  description: 'Work out a thorough plan before anything is done',
  argumentHint: '[task]',
  bridgeSafe: true,
  body: `Make a plan for the task below. Change nothing and carry nothing out yet.

1. Say in one or two sentences what is wanted, and what would show that it has been reached.
2. Look at what is there. Name what you rely on and where you found it; name what you could not find out.
3. Compare two or three ways to do it: what each costs, what can go wrong, what it rules out later. Choose one and say why.
4. List the steps in order. For each: what changes, where, how one sees that it worked, how to take it back.
5. List the risks and the questions that are still open, the ones that could change the plan first.

Then stop, and ask whether to go ahead.

Task: $ARGUMENTS`,
};
