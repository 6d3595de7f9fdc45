import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../platform/config/env.js';
import { grantedByCommands } from '../../../session/prompt/granted-by-commands.js';
import type { PermissionMode } from '../../../../packages/protocol/message/message.js';
import { NO_RULES, type RuleBook, ruleBook } from '../../../../packages/protocol/permissions/rule.js';
import { Sessions, TenantConfiguration } from '../../../ports/index.js';
import { SHELL_TOOL } from '../../../session/prompt/shell.js';
import { bound } from '../../../session/state/helper.js';
import type { SessionState } from '../../../session/state/state.js';

/** From the strictest to the one that asks least. */
const MODES: readonly PermissionMode[] = ['plan', 'default', 'acceptEdits', 'bypassPermissions'];

/**
 * The permission rules for a turn's tool calls: of the deployment, the tenant, the session, the slash command that started the turn, and for a helper, and a fork of one, of the sessions
 * that the helper works for, as they are now. Those of an erased one are not known any more: its helpers may call no tool.
 */
@Injectable()
export class CallRules {
  constructor(
    private readonly tenants: TenantConfiguration,
    private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'PERMISSIONS'>,
  ) {}

  async of(tenantId: string, state: SessionState): Promise<RuleBook> {
    const { permissions } = state.settings;
    const granted = grantedByCommands(state);
    const [tenant, above] = await Promise.all([this.tenants.read(tenantId), this.#above(tenantId, state)]);
    return ruleBook([
      ['deployment', this.settings.PERMISSIONS],
      ['tenant', tenant.permissions],
      ['session', permissions],
      ...above.map(({ settings }) => ['session', settings.permissions] as const),
      ...(above.some(({ erased }) => erased) ? [['session', { ...NO_RULES, deny: everyTool(state) }] as const] : []),
      ['command', { allow: granted, deny: [], ask: [] }],
    ]);
  }

  /** The permission mode in effect: `default` where the tenant does not allow `bypassPermissions`. A helper has none that asks less than that of a session above it. */
  async mode(tenantId: string, state: SessionState): Promise<PermissionMode> {
    const modes = [state, ...(await this.#above(tenantId, state))].map(({ settings }) => settings.permissionMode);
    const permissionMode = MODES.find((mode) => modes.includes(mode)) ?? 'default';
    if (permissionMode !== 'bypassPermissions') return permissionMode;
    return (await this.tenants.read(tenantId)).bypassPermissions ? permissionMode : 'default';
  }

  /** The session that a helper works for, or that of which the session is a fork; the one above that, and so on. */
  async #above(tenantId: string, state: SessionState): Promise<readonly SessionState[]> {
    const above: SessionState[] = [];
    for (let call = bound(state); call !== null;) {
      const found = await this.sessions.load(tenantId, call.sessionId);
      above.push(found);
      call = bound(found);
    }
    return above;
  }
}

const everyTool = (state: SessionState): readonly string[] => [
  ...new Set([SHELL_TOOL, ...(bound(state)?.tools ?? []), ...state.serverTools.map(({ name }) => name)]),
];
