import { z } from 'zod';
import { json } from '../../http/schemas/json.js';
import { list } from '../../http/schemas/bounded.js';
import { sessionSettings } from '../../http/schemas/session-schemas.js';
import { timeZone } from '../../http/schemas/time-zone.js';

/** Length of an id that a client chose. */
const ID_LENGTH = 200;

const clientId = z.string().min(1).max(ID_LENGTH);

export const uiChatBody = z
  .strictObject({
    id: clientId.meta({ description: 'Id of the chat: that of a session, or one that the client chose, which names a session of the caller.' }),
    messages: list(json, 'MAX_UI_MESSAGES')
      .refine((messages) => messages.length > 0, 'must not be empty')
      .meta({
        description: 'UI messages of the AI SDK. Only the newest one is read: a prompt, or the answers to approval requests and client tools.',
      }),
    trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
    messageId: clientId.nullish().meta({ description: 'The message that is replaced or regenerated; as the AI SDK sends it.' }),
    session: sessionSettings.optional().meta({ description: 'Settings of the session, if this message creates it.' }),
    timeZone,
    onDisconnect: z.enum(['continue', 'interrupt']).optional().meta({
      description: '`continue`, the default: the turn continues when the client disconnects, and can be resumed. `interrupt`: it is interrupted.',
    }),
  })
  .meta({
    id: 'UiChat',
    examples: [{ id: 'a-chat', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }], trigger: 'submit-message' }],
  });

export const uiMessages = z
  .strictObject({
    sessionId: z.uuid().nullable().meta({ description: 'The session of the chat; null: there is none yet.' }),
    messages: z.array(
      z.strictObject({
        id: z.string().meta({ description: 'Of a prompt: the uuid of its message. Of an answer: the id of its turn.' }),
        role: z.enum(['user', 'assistant']),
        metadata: z.looseObject({}).optional(),
        parts: z.array(z.looseObject({ type: z.string() })),
      }),
    ),
  })
  .meta({ id: 'UiMessages', description: 'The conversation as UI messages of the AI SDK.' });
