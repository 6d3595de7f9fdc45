import { Global, Module } from '@nestjs/common';
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
import { EventStreams } from './http/stream/event-streams.js';
import { OpenRights } from './http/stream/open-rights.js';
import { TurnWait } from './http/stream/turn-wait.js';
import { VersionInterceptor } from './http/version.interceptor.js';

const SERVICES = [
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
];

/** What every request passes, and what the routes of features use. The ports, the settings, `SessionQueries` and the command bus are provided by global modules. */
@Global()
@Module({
  providers: [
    ...SERVICES,
    { provide: APP_GUARD, useExisting: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: AccessRecords },
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: VersionInterceptor },
    { provide: APP_PIPE, useClass: SchemaPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: SERVICES,
})
export class HttpModule {}
