import { type StandingRequest, StandingSource } from '../../ports/index.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';

/** That the permission mode is `plan`, and later that it no longer is. */
export class PlanMode extends StandingSource {
  override readonly name = 'plan-mode';

  override async read({ settings }: StandingRequest, told: Attachment | null): Promise<Attachment | null> {
    const isOn = settings.permissionMode === 'plan';
    if (isOn === (told?.type === 'plan_mode')) return null;
    return { type: isOn ? 'plan_mode' : 'plan_mode_exit' };
  }
}
