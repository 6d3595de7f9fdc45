import { Body, Controller, Get, Inject, Patch, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../config/env.js';
import { type Fault, DomainError } from '../../core/errors.js';
import { Hooks, TenantConfiguration } from '../../core/ports.js';
import { withoutSecrets, withSecrets } from '../../core/tenants/hidden-values.js';
import { Caller } from '../access/caller.js';
import { ApiRoute } from '../documents/api-route.js';
import { noBody } from '../schemas/session-schemas.js';
import { hookSecret, settings, settingsBody } from '../schemas/settings-schemas.js';
import { NO_RULES } from '../../core/permissions/rule.js';
import type { TenantSettings } from '../../core/tenants/tenant-settings.js';
import type { Principal } from '../../core/session/principal.js';

/** What a tenant decides for itself. */
@ApiTags('configuration')
@Controller('v1/settings')
export class SettingsController {
  constructor(
    private readonly tenants: TenantConfiguration,
    private readonly hooks: Hooks,
    @Inject(SETTINGS) private readonly limits: Settings,
  ) {}

  @Get()
  @ApiRoute({ summary: 'Settings of the tenant, secrets hidden', status: 200, answer: settings, refuses: ['forbidden'] })
  async read(@Caller() caller: Principal): Promise<TenantSettings> {
    requireAdmin(caller);
    return withoutSecrets(await this.tenants.read(caller.tenantId));
  }

  @Patch()
  @ApiRoute({
    summary: 'Change settings of the tenant',
    description:
      'Each section that is named is replaced as a whole, and is in force everywhere within a second. A value that is shown as hidden may be sent back: it stays as it is.',
    status: 200,
    answer: settings,
    refuses: ['forbidden'],
    body: true,
  })
  async change(
    @Caller() caller: Principal,
    @Body({ schema: settingsBody }) body: z.input<typeof settingsBody>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TenantSettings> {
    requireAdmin(caller);
    this.#requireSize(body);
    const { changes, faults } = withSecrets(changesIn(body), await this.tenants.read(caller.tenantId));
    const hookFaults = changes.hooks ? this.hooks.faultsIn(changes.hooks) : [];
    refuse([...faults, ...hookFaults.map(({ pointer, text }) => ({ pointer: `/hooks${pointer}`, text }))]);
    const fresh = freshSecret();
    const needsSecret = Object.keys(changes.hooks ?? {}).length > 0;
    const changed = await this.tenants.change(caller.tenantId, changes, needsSecret ? { hookSecret: fresh } : {});
    if (changed.hookSecret !== fresh) return withoutSecrets(changed);
    response.setHeader('cache-control', 'no-store');
    return { ...withoutSecrets(changed), hookSecret: fresh };
  }

  @Post('hook-secret')
  @ApiRoute({
    summary: "Make a new secret for the tenant's hooks; it is shown this once",
    description: 'Calls are signed with it from then on; the one before it is good no more.',
    status: 201,
    answer: hookSecret,
    refuses: ['forbidden'],
    body: true,
  })
  async renew(@Caller() caller: Principal, @Body({ schema: noBody }) _body: z.input<typeof noBody>, @Res({ passthrough: true }) response: Response) {
    requireAdmin(caller);
    const secret = freshSecret();
    await this.tenants.change(caller.tenantId, { hookSecret: secret });
    response.setHeader('cache-control', 'no-store');
    return { hookSecret: secret };
  }

  #requireSize(body: object): void {
    const most = this.limits.MAX_SETTINGS_BYTES;
    const large = Object.entries(body).filter(([, section]) => Buffer.byteLength(JSON.stringify(section)) > most);
    if (large.length === 0) return;
    throw new DomainError(
      'payload_too_large',
      `A section of the settings may have ${most} bytes.`,
      large.map(([name]) => ({ pointer: `/${name}`, text: 'is too large' })),
    );
  }
}

/** 256 bits, in characters that survive every configuration file. */
const freshSecret = (): string => `vbhook_${randomBytes(32).toString('base64url')}`;

function requireAdmin(caller: Principal): void {
  if (caller.role !== 'admin') throw new DomainError('forbidden', 'Only an admin reads and changes the settings of the tenant.');
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new DomainError('invalid_input', 'The settings cannot be used as they are.', faults);
}

function changesIn({ permissions, ...sections }: z.input<typeof settingsBody>): Partial<TenantSettings> {
  return {
    ...(sections as Partial<TenantSettings>),
    ...(permissions ? { permissions: { ...NO_RULES, ...permissions } as TenantSettings['permissions'] } : {}),
  };
}
