import { DomainError } from '../../../packages/protocol/errors.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import type { UserCommand } from '../state/commands.js';
import type { SessionState } from '../state/state.js';

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
    { type: 'lines.appended', data: lines },
    ...messages.map((message): NewEvent => ({ type: 'message.appended', data: { message, turnId: null } })),
    ...(changesMessages ? configured(settings, state) : []),
  ];
}

function configured({ model, permissionMode }: Extract<UserCommand, { type: 'AppendLines' }>['settings'], { settings }: SessionState): readonly NewEvent[] {
  const changes = {
    ...(model === settings.model ? {} : { model }),
    ...(permissionMode === settings.permissionMode ? {} : { permissionMode }),
  };
  return Object.keys(changes).length === 0 ? [] : [{ type: 'session.configured', data: { changes } }];
}
