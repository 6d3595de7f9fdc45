import type { z } from 'zod';
import type { SessionSettings } from '../../packages/protocol/events/events.js';
import type { sessionSettings } from './schemas/session-schemas.js';
import { NO_RULES } from '../../packages/protocol/permissions/rule.js';

type Given = z.input<typeof sessionSettings>;

/** The settings that a request names. Lists of rules that it leaves out are empty: rules are replaced as a whole. */
export function settingsChanged({ permissions, ...given }: Given): Partial<SessionSettings> {
  return { ...given, ...(permissions === undefined ? {} : { permissions: { ...NO_RULES, ...permissions } }) };
}

/** A session's settings with the defaults for whatever was left out. Without a model here or in the server's settings, `model` is empty. */
export function newSession(given: Given, model: string | undefined): SessionSettings {
  return {
    title: given.title ?? null,
    model: given.model ?? model ?? '',
    system: given.system ?? null,
    context: given.context ?? {},
    systemContext: given.systemContext ?? {},
    permissionMode: given.permissionMode ?? 'default',
    permissions: { ...NO_RULES, ...given.permissions },
    tools: given.tools ?? [],
    metadata: given.metadata ?? {},
    ...(given.autoCompact === undefined ? {} : { autoCompact: given.autoCompact }),
    ...(given.retentionDays === undefined ? {} : { retentionDays: given.retentionDays }),
    ...(given.modelOptions === undefined ? {} : { modelOptions: given.modelOptions }),
  };
}
