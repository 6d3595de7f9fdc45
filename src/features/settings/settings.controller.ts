import { Body, Controller, Get, HttpCode, Inject, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { type FieldError, DomainError } from '../../../packages/protocol/errors.js';
import { Hooks, SettingsHistory, type StoredSettings, TenantConfiguration, Tools, UpstreamKeys } from '../../ports/index.js';
import { HIDDEN, withoutSecrets, withSecrets } from '../../session/tenants/hidden-values.js';
import { Caller } from '../../http/access/caller.js';
import { ExpectedVersion } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { noBody } from '../../http/schemas/session-schemas.js';
import { changes, changesQuery, hookSecret, mcpTest, mcpTestBody, settings, settingsBody } from './settings-schemas.js';
import { NO_RULES } from '../../../packages/protocol/permissions/rule.js';
import type { TenantSettings } from '../../session/tenants/tenant-settings.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

/** Settings of a tenant. */
@ApiTags('configuration')
@Controller('v1/settings')
export class SettingsController {
  constructor(
    private readonly tenants: TenantConfiguration,
    private readonly history: SettingsHistory,
    private readonly hooks: Hooks,
    private readonly tools: Tools,
    private readonly keys: UpstreamKeys,
    @Inject(SETTINGS) private readonly limits: Pick<Settings, 'MAX_SETTINGS_BYTES'>,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'getSettings',
    access: 'tenant.settings',
    summary: 'Get the settings of the tenant, with secrets hidden',
    description: 'Instructions, defaults of sessions, hooks, MCP servers, permissions and retention. `version` counts their changes.',
    status: 200,
    response: settings,
    problems: [],
  })
  async read(@Caller() caller: AuthorizedCaller) {
    return viewOf(await this.history.current(caller.tenantId));
  }

  @Get('changes')
  @ApiRoute({
    operation: 'listSettingsChanges',
    access: 'tenant.settings',
    summary: 'List who has changed which settings of the tenant, newest first',
    description: 'Names of sections, without their values. `changedBy` is null for a change of the server.',
    status: 200,
    response: changes,
    problems: ['invalid_input'],
  })
  async changes(@Caller() { tenantId }: AuthorizedCaller, @Query({ schema: changesQuery }) { limit = 50, cursor }: z.output<typeof changesQuery>) {
    const data = await this.history.changes(tenantId, limit + 1, cursor ?? null);
    return { data: data.slice(0, limit), nextCursor: data.length > limit ? String(data[limit - 1]!.version) : null };
  }

  @Patch()
  @ApiRoute({
    operation: 'updateSettings',
    access: 'tenant.settings',
    summary: 'Change settings of the tenant',
    description:
      'Each section in the body is replaced as a whole and takes effect in every process within a second. A hidden value may be sent back unchanged: it keeps its value. With `If-Match` and the `version` that was read, nothing is changed when one of these sections has been changed since.',
    status: 200,
    response: settings,
    problems: ['version_conflict'],
    body: true,
    conditional: 'The `version` of the settings that was read, in quotes; responds with 412 when a section in the body has been changed since.',
  })
  async change(
    @Caller() caller: AuthorizedCaller,
    @Body({ schema: settingsBody }) body: z.input<typeof settingsBody>,
    @ExpectedVersion() expected: number | null,
    @Res({ passthrough: true }) response: Response,
  ) {
    this.#requireSize(body);
    const { changes, faults } = withSecrets(changesIn(body), (await this.history.current(caller.tenantId)).settings);
    const hookFaults = changes.hooks ? this.hooks.faultsIn(changes.hooks) : [];
    const serverFaults = changes.mcpServers ? this.tools.faultsIn(changes.mcpServers) : [];
    rejectFaults([...faults, ...within('/hooks', hookFaults), ...within('/mcpServers', serverFaults)]);
    const { upstreamKey } = body;
    const encrypted = typeof upstreamKey === 'string' && upstreamKey !== HIDDEN ? { upstreamKey: await this.keys.encrypted(caller.tenantId, upstreamKey) } : {};
    const fresh = freshSecret();
    const needsSecret = Object.keys(changes.hooks ?? {}).length > 0;
    const edit = { by: caller.userId, expected };
    const changed = await this.tenants.change(caller.tenantId, { ...changes, ...encrypted }, needsSecret ? { hookSecret: fresh } : {}, edit);
    if (changed.settings.hookSecret !== fresh) return viewOf(changed);
    response.setHeader('cache-control', 'no-store');
    return { ...viewOf(changed), hookSecret: fresh };
  }

  @Post('hook-secret')
  @ApiRoute({
    operation: 'rotateHookSecret',
    access: 'tenant.settings',
    summary: "Rotate the secret of the tenant's hooks; the response is the only place where it is shown",
    description: 'Hook calls are signed with it from then on; the previous secret is no longer used.',
    status: 201,
    response: hookSecret,
    problems: [],
    body: true,
  })
  async renew(@Caller() caller: AuthorizedCaller, @Body({ schema: noBody }) _body: z.input<typeof noBody>, @Res({ passthrough: true }) response: Response) {
    const secret = freshSecret();
    await this.tenants.change(caller.tenantId, { hookSecret: secret }, {}, { by: caller.userId, expected: null });
    response.setHeader('cache-control', 'no-store');
    return { hookSecret: secret };
  }

  @Post('mcp-tests')
  @HttpCode(200)
  @ApiRoute({
    operation: 'testMcpServer',
    access: 'tenant.settings',
    summary: 'Connect to an MCP server once, before it is stored, and list its tools',
    description:
      'Nothing is stored. A server that cannot be used is a response with `problems`. Each process tries one server of a tenant at a time, within `MCP_CONNECT_TIMEOUT_MS`.',
    status: 200,
    response: mcpTest,
    problems: [],
    body: true,
  })
  async test(@Caller() { tenantId }: AuthorizedCaller, @Body({ schema: mcpTestBody }) body: z.input<typeof mcpTestBody>) {
    const { name, ...given } = body;
    const { changes, faults } = withSecrets(
      { mcpServers: { [name]: given as TenantSettings['mcpServers'][string] } },
      (await this.history.current(tenantId)).settings,
    );
    const servers = changes.mcpServers!;
    const serverFaults = [...faults, ...within('/mcpServers', this.tools.faultsIn(servers))];
    rejectFaults(serverFaults.map(({ pointer, text }) => ({ pointer: pointer.slice(`/mcpServers/${name}`.length), text })));
    const { tools, problems } = (await this.tools.tryServer(tenantId, name, servers[name]!)) ?? {
      tools: [],
      problems: ['This server connects to no MCP servers.'],
    };
    return { tools: tools.map((tool) => ({ name: tool.name, description: tool.description, effect: tool.effect })), problems };
  }

  #requireSize(body: object): void {
    const most = this.limits.MAX_SETTINGS_BYTES;
    const large = Object.entries(body).filter(([, section]) => Buffer.byteLength(JSON.stringify(section)) > most);
    if (large.length === 0) return;
    throw new DomainError(
      'payload_too_large',
      `A section of the settings exceeds the limit of ${most} bytes.`,
      large.map(([name]) => ({ pointer: `/${name}`, text: 'is too large' })),
    );
  }
}

const viewOf = ({ settings: stored, version }: StoredSettings) => ({ ...withoutSecrets(stored), version });

/** 256 random bits in URL-safe characters, which need no quoting in configuration files. */
const freshSecret = (): string => `vbhook_${randomBytes(32).toString('base64url')}`;

function rejectFaults(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw new DomainError('invalid_input', 'The settings are not valid; the entries of `errors` name each fault.', faults);
}

function changesIn({ permissions, ...sections }: z.input<typeof settingsBody>): Partial<TenantSettings> {
  return {
    ...(sections as Partial<TenantSettings>),
    ...(permissions ? { permissions: { ...NO_RULES, ...permissions } as TenantSettings['permissions'] } : {}),
  };
}

const within = (section: string, faults: readonly FieldError[]): readonly FieldError[] =>
  faults.map(({ pointer, text }) => ({ pointer: section + pointer, text }));
