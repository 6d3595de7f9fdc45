import { type Client, type Event, paginate } from '@verbatim/client';

const PAGE = 1_000;

/** The events of a session after `after`, oldest first. */
export async function eventsAfter(client: Client, id: string, after: number): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of paginate<{ id: string; cursor?: number; limit?: number }, Event>((request) => client.listEvents(request), {
    id,
    cursor: after,
    limit: PAGE,
  }))
    events.push(event);
  return events;
}
