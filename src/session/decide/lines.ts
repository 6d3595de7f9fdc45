import { DomainError } from '../../../packages/protocol/errors.js';
import type { EventData, NewEvent } from '../../../packages/protocol/events/events.js';
import type { UserCommand } from '../state/commands.js';
import type { SessionState } from '../state/state.js';

/** Of the lines of one event: to read a line again is to read its event. */
const EVENT_CHARACTERS = 1024 * 1024;

/** Whether messages of a session file can be written now: while a turn of the server runs, and in a closed session, the lines are kept alone. */
export const takesMessages = ({ turn, status }: Pick<SessionState, 'turn' | 'status'>): boolean => turn === null && status !== 'closed';

/** Lines are kept in any state, so that none is lost. */
export function appendLines(command: Extract<UserCommand, { type: 'AppendLines' }>, state: SessionState): readonly NewEvent[] {
  const { lines, moveTo, messages, settings } = command;
  const isMoved = moveTo !== undefined && moveTo !== state.head;
  const changesMessages = isMoved || messages.length > 0;
  if (changesMessages && !takesMessages(state)) throw new DomainError('session_busy', 'A turn of the server is running in this session, or it is closed.');
  if (isMoved && moveTo !== null && !state.messages.has(moveTo)) throw new Error(`the session has no message ${moveTo}`);
  const isKnown = lines.lines.length === 0 && lines.messages.length === 0 && lines.summary === null && !changesMessages;
  if (isKnown) return [];
  const { permissionMode } = settings;
  return [
    ...(isMoved ? [{ type: 'session.restored' as const, data: { rewindId: null, from: state.head, to: moveTo, permissionMode } }] : []),
    ...partsOf(lines).map((data): NewEvent => ({ type: 'lines.appended', data })),
    ...messages.map((message): NewEvent => ({ type: 'message.appended', data: { message, turnId: null } })),
    ...(changesMessages ? configured(settings, state) : []),
  ];
}

/** The events are in one append. The last one has what is said of all the lines. */
function partsOf(data: EventData['lines.appended']): readonly EventData['lines.appended'][] {
  const { lines, uuids } = data;
  const parts: EventData['lines.appended'][] = [];
  let from = 0;
  let characters = 0;
  for (const [at, { length }] of lines.entries()) {
    if (at > from && characters + length > EVENT_CHARACTERS) {
      parts.push({ ...data, lines: lines.slice(from, at), uuids: uuids.slice(from, at), batch: null, messages: [], summary: null });
      from = at;
      characters = 0;
    }
    characters += length;
  }
  return [...parts, { ...data, lines: lines.slice(from), uuids: uuids.slice(from) }];
}

function configured({ model, permissionMode }: Extract<UserCommand, { type: 'AppendLines' }>['settings'], { settings }: SessionState): readonly NewEvent[] {
  const changes = {
    ...(model === settings.model ? {} : { model }),
    ...(permissionMode === settings.permissionMode ? {} : { permissionMode }),
  };
  return Object.keys(changes).length === 0 ? [] : [{ type: 'session.configured', data: { changes } }];
}
