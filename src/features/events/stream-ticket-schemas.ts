import { z } from 'zod';
import { time, uuid } from '../../http/schemas/json.js';

export const streamTicketBody = z
  .strictObject({ sessionId: uuid.optional().meta({ description: "Absent: for `GET /v1/events/stream`, the stream of all of the caller's sessions." }) })
  .meta({ id: 'NewStreamTicket', examples: [{ sessionId: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e' }] });

export const streamTicket = z
  .strictObject({
    ticket: z.string().meta({ description: 'The value of the query parameter `ticket` of the event stream. Valid once.' }),
    expiresAt: time,
  })
  .meta({ id: 'StreamTicket' });
