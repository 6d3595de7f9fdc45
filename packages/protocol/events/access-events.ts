import type { SessionRole } from '../access/roles.js';
import type { ContentErased } from './erasure.js';
import type { AccessVia } from './facts.js';
import { keepOr, oneOf, TIME } from '../message/skeleton-rule.js';
import { event } from './define-event.js';
import { EMPTY, PRINCIPAL } from './skeleton-parts.js';

/** Events about who may read a session, and what was erased of it. */
export const ACCESS_EVENTS = {
  /** One step of an erasure. The data of `events` is replaced by what is given here, in the same commit. The last event of its append. */
  'content.erased': event<ContentErased>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  /** Nothing of the session may be erased from here on. */
  'hold.placed': event<{ readonly reason: string | null }>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'state'],
  }),

  'hold.released': event<{ readonly reason: string | null }>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'state'],
  }),

  /** A user or a group has this role from here on, instead of an earlier one. */
  'session.granted': event<{ readonly principal: string; readonly role: SessionRole }>({
    skeleton: { principal: PRINCIPAL, role: keepOr('viewer', oneOf('owner', 'editor', 'viewer', 'auditor')) },
    quotes: null,
    changes: ['list'],
  }),

  'session.grant_revoked': event<{ readonly principal: string }>({
    skeleton: { principal: PRINCIPAL },
    quotes: null,
    changes: ['list'],
  }),

  /** Its actor, who has no role that reads, may read until then. */
  'glass.broken': event<{ readonly until: string; readonly reason: string }>({
    skeleton: { until: keepOr('1970-01-01T00:00:00.000Z', TIME), reason: EMPTY },
    quotes: null,
    changes: [],
  }),

  /** A caller who does not own the session has read content of it, once or more often in this hour, or has made this fork, which they read without a further record. */
  'session.accessed': event<{ readonly reader: string; readonly via: AccessVia; readonly hour: string; readonly fork?: string }>({
    skeleton: null,
    quotes: null,
    changes: [],
  }),
};
