import type { Type } from '@nestjs/common';
import { SessionsModule } from './features/sessions/sessions.module.js';
import { ErasureModule } from './features/erasure/erasure.module.js';
import { PeopleModule } from './features/people/people.module.js';
import { PromptsModule } from './features/prompts/prompts.module.js';
import { TurnsModule } from './features/turns/turns.module.js';
import { EventsModule } from './features/events/events.module.js';
import { MessagesModule } from './features/messages/messages.module.js';
import { BlobsModule } from './features/blobs/blobs.module.js';
import { ArchiveModule } from './features/archive/archive.module.js';
import { FilesModule } from './features/files/files.module.js';
import { RewindsModule } from './features/rewinds/rewinds.module.js';
import { BranchesModule } from './features/branches/branches.module.js';
import { ForksModule } from './features/forks/forks.module.js';
import { CompactionsModule } from './features/compactions/compactions.module.js';
import { ActivityModule } from './features/activity/activity.module.js';
import { LinksModule } from './features/links/links.module.js';
import { RequestsModule } from './features/requests/requests.module.js';
import { TransferModule } from './features/transfer/transfer.module.js';
import { FeedbackModule } from './features/feedback/feedback.module.js';
import { HooksModule } from './features/hooks/hooks.module.js';
import { GatesModule } from './features/gates/gates.module.js';
import { SettingsModule } from './features/settings/settings.module.js';
import { CommandsModule } from './features/commands/commands.module.js';
import { SkillsModule } from './features/skills/skills.module.js';
import { ToolsModule } from './features/tools/tools.module.js';
import { SignInModule } from './features/sign-in/sign-in.module.js';
import { SearchModule } from './features/search/search.module.js';
import { ProofsModule } from './features/proofs/proofs.module.js';
import { UiChatModule } from './features/ui-chat/ui-chat.module.js';
import { GatewayModule } from './features/gateway/gateway.module.js';
import { UsageModule } from './features/usage/usage.module.js';
import { PinsModule } from './features/pin/pin.module.js';
import { PresenceModule } from './features/presence/presence.module.js';
import { MemoryModule } from './features/memory/memory.module.js';
import { SessionStoreModule } from './features/session-store/session-store.module.js';
import { SchedulesModule } from './features/schedules/schedules.module.js';
import { HealthModule } from './features/health/health.module.js';

/** Every feature: a folder of src/features, whose module says what it registers. */
export const FEATURES: readonly Type[] = [
  SessionsModule,
  ErasureModule,
  PeopleModule,
  PromptsModule,
  TurnsModule,
  EventsModule,
  MessagesModule,
  BlobsModule,
  ArchiveModule,
  FilesModule,
  RewindsModule,
  BranchesModule,
  ForksModule,
  CompactionsModule,
  ActivityModule,
  LinksModule,
  RequestsModule,
  TransferModule,
  FeedbackModule,
  HooksModule,
  GatesModule,
  SettingsModule,
  CommandsModule,
  SkillsModule,
  ToolsModule,
  SignInModule,
  SearchModule,
  ProofsModule,
  UiChatModule,
  GatewayModule,
  UsageModule,
  PinsModule,
  PresenceModule,
  MemoryModule,
  SessionStoreModule,
  SchedulesModule,
  HealthModule,
];
