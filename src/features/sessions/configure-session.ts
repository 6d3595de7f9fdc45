import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { sessionView, type SessionView } from '../../session/state/session-view.js';
import { defineCommand } from '../../engine/commands/define-command.js';

/** Changes the settings that `changes` names; the others stay as they are. */
export class ConfigureSessionCommand extends defineCommand<{ changes: Partial<SessionSettings> }, SessionView>({
  action: 'session.configure',
  rule: ({ changes }) => ({ type: 'ConfigureSession', changes }),
  answer: ({ state }, { context }) => sessionView(context.sessionId, state),
}) {}
