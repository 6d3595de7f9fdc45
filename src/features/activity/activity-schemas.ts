import { z } from 'zod';
import { ACTIVITY_KINDS, ACTS } from '../../ports/index.js';
import { queryInteger, time, uuid } from '../../http/schemas/json.js';

export const activityQuery = z.strictObject({
  kind: z.enum(ACTIVITY_KINDS).optional().meta({ description: 'Only what is of this kind. `roles` are given and taken away.' }),
  limit: queryInteger(1, 100).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: z.string().max(300).optional().meta({ description: '`nextCursor` of the previous page, with the same `kind`.' }),
});

export const activity = z
  .strictObject({
    data: z
      .array(
        z
          .strictObject({
            id: uuid,
            at: time,
            by: uuid.nullable().meta({ description: 'The user; null: the server, or the user is not known, as of links that an older version revoked.' }),
            act: z.enum(ACTS),
            sessionId: uuid.nullable().meta({ description: 'Null of `user_content_erased`, which reaches all sessions of `userId`.' }),
            userId: uuid.nullable().meta({ description: 'Of `user_content_erased`: whose content was to be erased.' }),
            principal: z.string().nullable().meta({
              description: 'Of `role_given` and `role_taken`: `user:` and an id, or `group:` and a name. Null of a group when the session was erased since.',
            }),
            role: z.string().nullable().meta({ description: 'Of `role_given`.' }),
            messages: z.int().nullable().meta({ description: 'Of `messages_erased`: how many, with what was made of them.' }),
            until: time.nullable().meta({ description: 'Of `emergency_access`: its end.' }),
            erasureId: uuid.nullable().meta({ description: 'Of `session_erased` and `messages_erased`: the same for all steps of one erasure.' }),
          })
          .meta({ id: 'ActivityEntry' }),
      )
      .readonly(),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'Activity' });
