import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AccessRecords } from './http/access/access-records.interceptor.js';
import { AccessGuard } from './http/access/access.guard.js';
import { BearerTokens } from './http/access/bearer-tokens.js';
import { BrowserSignIns } from './http/access/browser-sign-ins.js';
import { Oidc } from './http/access/oidc.js';
import { Operators } from './http/access/operators.js';
import { RateLimits } from './http/access/rate-limits.js';
import { SignedTokens } from './http/access/signed-tokens.js';
import { TenantDoor } from './http/access/tenant-door.js';
import { BodyInterceptor } from './http/body/body.interceptor.js';
import { JsonReader } from './http/body/json-reader.js';
import { SchemaPipe } from './http/body/schema.pipe.js';
import { Drain } from './http/drain.js';
import { ProblemFilter } from './http/problems/problem.filter.js';
import { AccountsController } from './features/people/accounts.controller.js';
import { AuditsController } from './features/proofs/audits.controller.js';
import { BlobsController } from './features/blobs/blobs.controller.js';
import { CommandsController } from './features/commands/commands.controller.js';
import { ErasuresController } from './features/erasure/erasures.controller.js';
import { FeedbackController } from './features/feedback/feedback.controller.js';
import { FindingController } from './features/search/search.controller.js';
import { LinksController } from './features/links/links.controller.js';
import { SharedController } from './features/links/shared.controller.js';
import { GrantsController } from './features/people/grants.controller.js';
import { HealthController } from './features/health/health.controller.js';
import { HooksController } from './features/hooks/hooks.controller.js';
import { LogController } from './features/events/events.controller.js';
import { OidcController } from './features/sign-in/oidc.controller.js';
import { PresenceController } from './features/presence/presence.controller.js';
import { PromptsController } from './features/prompts/prompts.controller.js';
import { BranchesController } from './features/branches/branches.controller.js';
import { RewindsController } from './features/rewinds/rewinds.controller.js';
import { SessionsController } from './features/sessions/sessions.controller.js';
import { SettingsController } from './features/settings/settings.controller.js';
import { SignInController } from './features/sign-in/sign-in.controller.js';
import { StreamTicketsController } from './features/events/stream-tickets.controller.js';
import { ToolsController } from './features/tools/tools.controller.js';
import { TransferController } from './features/transfer/transfer.controller.js';
import { TransparencyController } from './features/proofs/transparency.controller.js';
import { UiChatController } from './features/ui-chat/ui-chat.controller.js';
import { UsersController } from './features/people/users.controller.js';
import { UsageController } from './features/usage/usage.controller.js';
import { ViewsController } from './features/requests/requests.controller.js';
import { UserErasuresController } from './features/erasure/user-erasures.controller.js';
import { EventStreams } from './http/stream/event-streams.js';
import { OpenRights } from './http/stream/open-rights.js';
import { TurnWait } from './http/stream/turn-wait.js';
import { UiChats } from './features/ui-chat/ui-chats.js';
import { VersionInterceptor } from './http/version.interceptor.js';

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
