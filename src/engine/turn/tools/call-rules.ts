import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../platform/config/env.js';
import { grantedByCommands } from '../../../session/prompt/granted-by-commands.js';
import type { PermissionMode } from '../../../../packages/protocol/message/message.js';
import { type RuleBook, ruleBook } from '../../../../packages/protocol/permissions/rule.js';
import { TenantConfiguration } from '../../../ports/index.js';
import type { SessionState } from '../../../session/state/state.js';

/** The permission rules for a turn's tool calls: of the deployment, the tenant, the session, and the slash command that started the turn. */
@Injectable()
export class CallRules {
  constructor(
    private readonly tenants: TenantConfiguration,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'PERMISSIONS'>,
  ) {}

  async of(tenantId: string, state: SessionState): Promise<RuleBook> {
    const { permissions } = state.settings;
    const granted = grantedByCommands(state);
    const tenant = await this.tenants.read(tenantId);
    return ruleBook([
      ['deployment', this.settings.PERMISSIONS],
      ['tenant', tenant.permissions],
      ['session', permissions],
      ['command', { allow: granted, deny: [], ask: [] }],
    ]);
  }

  /** The permission mode in effect: `default` where the tenant does not allow `bypassPermissions`. */
  async mode(tenantId: string, state: SessionState): Promise<PermissionMode> {
    const { permissionMode } = state.settings;
    if (permissionMode !== 'bypassPermissions') return permissionMode;
    return (await this.tenants.read(tenantId)).bypassPermissions ? permissionMode : 'default';
  }
}
