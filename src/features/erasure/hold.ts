import { defineCommand } from '../../engine/commands/define-command.js';

/** Without content of the session: an admin who places a hold may not read it. */
export interface HoldView {
  readonly id: string;
  readonly held: boolean;
}

/** Places a legal hold, or releases it. A session that is held already, or is not, does not change. */
export class HoldCommand extends defineCommand<{ isHeld: boolean; reason: string | null }, HoldView>({
  action: 'session.hold',
  rule: ({ isHeld, reason }) => ({ type: isHeld ? 'PlaceHold' : 'ReleaseHold', reason }),
  answer: ({ state }, { context }) => ({ id: context.sessionId, held: state.hold !== null }),
}) {}
