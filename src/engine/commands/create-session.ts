import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { sessionView, type SessionView } from '../../session/state/session-view.js';
import { defineCommand } from './define-command.js';

/** Creates a session. Its id is part of the context, so that a repeat finds the session that the first execution created. */
export class CreateSessionCommand extends defineCommand<{ settings: SessionSettings }, SessionView>({
  action: 'session.create',
  rule: ({ settings }) => ({ type: 'CreateSession', settings }),
  answer: ({ state }, { context }) => sessionView(context.sessionId, state),
}) {}
