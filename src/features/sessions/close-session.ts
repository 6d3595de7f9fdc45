import { sessionView, type SessionView } from '../../session/state/session-view.js';
import { defineCommand } from '../../engine/commands/define-command.js';

/** Closes a session: it accepts no prompt until it is reopened. Closing a closed session changes nothing. */
export class CloseSessionCommand extends defineCommand<{ reason: string | null }, SessionView>({
  action: 'session.configure',
  rule: ({ reason }) => ({ type: 'CloseSession', reason }),
  answer: ({ state }, { context }) => sessionView(context.sessionId, state),
}) {}
