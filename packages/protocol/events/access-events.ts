import { SESSION_ROLES } from '../access/roles.js';
import { choice, text, textLike, time } from '../shape/shapes.js';
import { accessRecord } from './accesses.js';
import { event } from './define-event.js';
import { contentErased } from './erasure.js';

/** The name of a group is a text; the id of a user stays, as in `actor`. */
const principal = textLike('^user:[A-Za-z0-9_-]{1,128}$').erasedAs('group:');

/** Events about who may read a session, and what was erased of it. */
export const ACCESS_EVENTS = {
  // The data of `events` is replaced by what is given here, in the same commit. The last event of its append.
  'content.erased': event({
    about: 'Content was erased, in one or several steps. Reload the messages.',
    data: contentErased,
    neverErased: true,
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  'hold.placed': event({
    about: 'The session was put under a legal hold: nothing of it is erased.',
    data: { reason: text.nullable() },
    neverErased: true,
    quotes: null,
    changes: ['list', 'state'],
  }),

  'hold.released': event({
    about: 'The legal hold of the session was released.',
    data: { reason: text.nullable() },
    neverErased: true,
    quotes: null,
    changes: ['list', 'state'],
  }),

  'session.granted': event({
    about: 'A user or group has a role in the session, instead of an earlier one.',
    data: { principal: principal.about('`user:` and an id, or `group:` and a name.'), role: choice(...SESSION_ROLES).erasedAs('viewer') },
    quotes: null,
    changes: ['list'],
  }),

  'session.grant_revoked': event({
    about: 'A user or group has no role in the session any more.',
    data: { principal },
    quotes: null,
    changes: ['list'],
  }),

  'glass.broken': event({
    about: 'A user without a role that reads got read access for a short time.',
    data: { until: time, reason: text },
    quotes: null,
    changes: [],
  }),

  'session.accessed': event({
    about: 'Content was read by a caller who does not own the session, once for each reader and hour, or was taken into a fork.',
    data: accessRecord,
    neverErased: true,
    quotes: null,
    changes: [],
  }),
};
