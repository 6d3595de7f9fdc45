import { randomUUID } from 'node:crypto';
import { PostgresAccounts } from '../../src/features/people/postgres-accounts.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import type { NewEvent } from '../../packages/protocol/events/events.js';
import { append, appended } from './appends.js';
import type { Client } from './client.js';
import { NO_ENCRYPTION } from './encryption.js';

const AT_ONCE = 2_000;

/** A session that holds these texts, user and assistant in turn, written past the server: saying them would take a turn each. */
export async function filledSession(client: Client, appUrl: string, texts: readonly string[]): Promise<string> {
  const sessionId = await client.session();
  const database = new Database({ url: appUrl, poolSize: 1, timeoutMs: 60_000, applicationName: 'verbatim test' });
  try {
    const { tenantId, userId } = (await new PostgresAccounts(database).principal(client.token!))!;
    const store = new PostgresEventStore(database, NO_ENCRYPTION);
    const events = texts.map(appendedMessage(randomUUID()));
    for (let from = 0; from < events.length; from += AT_ONCE) {
      appended(await store.append(append({ tenantId, sessionId }, from + 1, { events: events.slice(from, from + AT_ONCE), summary: { userId } })));
    }
  } finally {
    await database.close();
  }
  return sessionId;
}

function appendedMessage(family: string): (text: string, index: number) => NewEvent {
  const uuid = (index: number): string => `${index.toString(16).padStart(8, '0')}${family.slice(8)}`;
  return (text, index) => {
    const head = { uuid: uuid(index), parentUuid: index === 0 ? null : uuid(index - 1), timestamp: '2000-01-01T00:00:00.000Z' };
    const content = [{ type: 'text', text }] as const;
    const message =
      index % 2 === 0
        ? { ...head, type: 'user' as const, content }
        : {
            ...head,
            type: 'assistant' as const,
            message: { id: `msg_${index}`, role: 'assistant' as const, model: 'some-model', content, stop_reason: 'end_turn', usage: {} },
          };
    return { type: 'message.appended', data: { message, turnId: null } };
  };
}
