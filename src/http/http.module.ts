import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AccessRecords } from './access/access-records.interceptor.js';
import { AccessGuard } from './access/access.guard.js';
import { BearerTokens } from './access/bearer-tokens.js';
import { BrowserSignIns } from './access/browser-sign-ins.js';
import { Oidc } from './access/oidc.js';
import { Operators } from './access/operators.js';
import { RateLimits } from './access/rate-limits.js';
import { SignedTokens } from './access/signed-tokens.js';
import { TenantDoor } from './access/tenant-door.js';
import { BodyInterceptor } from './body/body.interceptor.js';
import { JsonReader } from './body/json-reader.js';
import { SchemaPipe } from './body/schema.pipe.js';
import { Drain } from './drain.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { AccountsController } from './routes/accounts.controller.js';
import { AuditsController } from './routes/audits.controller.js';
import { BlobsController } from './routes/blobs.controller.js';
import { CommandsController } from './routes/commands.controller.js';
import { ErasuresController } from './routes/erasures.controller.js';
import { FeedbackController } from './routes/feedback.controller.js';
import { FindingController } from './routes/finding.controller.js';
import { LinksController } from './routes/links.controller.js';
import { SharedController } from './routes/shared.controller.js';
import { GrantsController } from './routes/grants.controller.js';
import { HealthController } from './routes/health.controller.js';
import { HooksController } from './routes/hooks.controller.js';
import { LogController } from './routes/log.controller.js';
import { OidcController } from './routes/oidc.controller.js';
import { PresenceController } from './routes/presence.controller.js';
import { PromptsController } from './routes/prompts.controller.js';
import { BranchesController } from './routes/branches.controller.js';
import { RewindsController } from './routes/rewinds.controller.js';
import { SessionsController } from './routes/sessions.controller.js';
import { SettingsController } from './routes/settings.controller.js';
import { SignInController } from './routes/sign-in.controller.js';
import { StreamTicketsController } from './routes/stream-tickets.controller.js';
import { ToolsController } from './routes/tools.controller.js';
import { TransferController } from './routes/transfer.controller.js';
import { TransparencyController } from './routes/transparency.controller.js';
import { UiChatController } from './routes/ui-chat.controller.js';
import { UsersController } from './routes/users.controller.js';
import { UsageController } from './routes/usage.controller.js';
import { ViewsController } from './routes/views.controller.js';
import { UserErasuresController } from './routes/user-erasures.controller.js';
import { EventStreams } from './stream/event-streams.js';
import { OpenRights } from './stream/open-rights.js';
import { TurnWait } from './stream/turn-wait.js';
import { UiChats } from './ui/ui-chats.js';
import { VersionInterceptor } from './version.interceptor.js';

export const API = [
  SessionsController,
  ErasuresController,
  UsersController,
  UserErasuresController,
  PromptsController,
  LogController,
  StreamTicketsController,
  BlobsController,
  RewindsController,
  BranchesController,
  GrantsController,
  LinksController,
  SharedController,
  ViewsController,
  TransferController,
  FeedbackController,
  HooksController,
  SettingsController,
  CommandsController,
  ToolsController,
  AccountsController,
  SignInController,
  OidcController,
  FindingController,
  AuditsController,
  TransparencyController,
  UiChatController,
  UsageController,
  PresenceController,
];

/** The HTTP API. The ports, the settings, `SessionQueries` and the command bus are provided by global modules. */
@Module({
  providers: [
    AccessGuard,
    BearerTokens,
    BrowserSignIns,
    Drain,
    JsonReader,
    Oidc,
    Operators,
    RateLimits,
    TenantDoor,
    SignedTokens,
    EventStreams,
    OpenRights,
    TurnWait,
    UiChats,
    { provide: APP_GUARD, useExisting: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: AccessRecords },
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: VersionInterceptor },
    { provide: APP_PIPE, useClass: SchemaPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
})
export class HttpModule {
  /** A worker process serves the health routes only. */
  static serving(api: boolean): DynamicModule {
    return { module: HttpModule, controllers: api ? [...API, HealthController] : [HealthController] };
  }
}
