import { sessionView, type SessionView } from '../../session/state/session-view.js';
import { defineCommand } from '../../engine/commands/define-command.js';

/** Lets a closed session accept prompts again. */
export class ReopenSessionCommand extends defineCommand<object, SessionView>({
  action: 'session.configure',
  rule: () => ({ type: 'ReopenSession' }),
  answer: ({ state }, { context }) => sessionView(context.sessionId, state),
}) {}
