import type { OtherCommand } from './slash-command.js';

/** Also invoked by the plain words exit, quit and :q. */
export const exit: OtherCommand = { kind: 'exit', name: 'exit', description: 'Close the session; it can be reopened', bridgeSafe: false };
