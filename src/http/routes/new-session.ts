import type { z } from 'zod';
import type { SessionSettings } from '../../core/session/events.js';
import type { sessionSettings } from '../schemas/session-schemas.js';

/** A session's settings with the defaults for whatever was left out. Without a model here or in the server's settings, `model` is empty. */
export function newSession(given: z.input<typeof sessionSettings>, model: string | undefined): SessionSettings {
  return {
    title: given.title ?? null,
    model: given.model ?? model ?? '',
    system: given.system ?? null,
    context: given.context ?? {},
    systemContext: given.systemContext ?? {},
    permissionMode: given.permissionMode ?? 'default',
    tools: given.tools ?? [],
    metadata: given.metadata ?? {},
    ...(given.autoCompact === undefined ? {} : { autoCompact: given.autoCompact }),
  };
}
