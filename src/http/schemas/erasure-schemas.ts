import { z } from 'zod';
import type { UserErasure } from '../../ports/index.js';
import { label, queryFlag, time, uuid } from './json.js';
import { versioned } from './session-schemas.js';

const REASON_LENGTH = 500;

const reason = label(REASON_LENGTH);

export const eraseQuery = z.strictObject({
  reason: reason.optional().meta({ description: 'Why; kept with the receipt, also in the log of the session. Without content of the session.' }),
  includeForks: queryFlag.optional().meta({ description: '`true`: erase it in the forks of the session as well; otherwise forks are a conflict.' }),
});

export const holdBody = z.strictObject({ reason: reason.nullable().optional() }).meta({ id: 'Hold', examples: [{ reason: 'case 17' }] });

export const hold = z.strictObject({ id: uuid, version: z.int(), held: z.boolean() }).meta({ id: 'HeldSession' });

const receipt = {
  id: uuid,
  scope: z.enum(['session', 'message']),
  messages: z.array(uuid).readonly().nullable().meta({ description: 'Of scope `message`: the erased messages; otherwise null.' }),
  reason: z.string().nullable(),
  by: z.string().meta({ description: 'Id of the user; `worker`: the server, because the retention of the session has ended.' }),
  startedAt: time,
  endedAt: time.nullable().meta({ description: 'null: a part is not erased yet; repeat the request.' }),
  events: z.int().meta({ description: 'Number of events with erased content.' }),
  blobs: z.int().meta({ description: 'Number of files taken from the session.' }),
  bytes: z.int().meta({ description: 'Size of the erased data of events, without files.' }),
};

export const erasure = z
  .strictObject({
    version: z.int(),
    ...receipt,
    forks: z.array(uuid).readonly().meta({ description: 'Forks in which it was erased as well.' }),
    helpers: z.array(uuid).readonly().meta({ description: 'Helpers whose content was erased with it.' }),
  })
  .meta({ id: 'Erased', description: 'The receipt of an erasure.' });

export const erasures = versioned(z.strictObject(receipt).meta({ id: 'Erasure' })).meta({ id: 'Erasures' });

export const userEraseQuery = eraseQuery.pick({ reason: true });

export const userErasure = z
  .strictObject({
    id: uuid,
    userId: uuid,
    requestedBy: uuid,
    reason: z.string().nullable(),
    startedAt: time,
    endedAt: time.nullable().meta({ description: 'null: sessions are left.' }),
    sessions: z.int().meta({ description: 'Sessions erased so far.' }),
    remaining: z.int().meta({ description: 'Sessions that are still to be erased.' }),
    held: z.int().meta({ description: 'Sessions that are left because they are under a legal hold.' }),
  })
  .meta({ id: 'UserErasure' });

export const userErasures = z.strictObject({ data: z.array(userErasure).readonly() }).meta({ id: 'UserErasures' });

/** Of the tenant of the request. */
export const erasureView = ({ tenantId: _, ...view }: UserErasure): Omit<UserErasure, 'tenantId'> => view;
