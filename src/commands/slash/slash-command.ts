import type { Accounts, GateSource, JobQueue, Limits, LiveBus, Model } from '../../core/ports.js';
import type { CommandAnswer } from '../../core/session/commands.js';
import type { SessionState } from '../../core/session/state.js';

/** What commands may look at besides the session. */
export interface SlashSurroundings {
  readonly accounts: Accounts;
  readonly queue: JobQueue;
  readonly live: LiveBus;
  readonly model: Model;
  readonly gates: GateSource;
  readonly limits: Limits;
  readonly sha256: (text: string) => string;
  /** Every command that the tenant may call. */
  readonly commands: () => Promise<readonly CommandSummary[]>;
}

export interface SlashCall extends SlashSurroundings {
  readonly tenantId: string;
  readonly sessionId: string;
  /** What follows the command's name. */
  readonly args: string;
  /** The session as of now; read it before the next await. */
  readonly session: () => Promise<SessionState>;
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** May be run from a client that controls the session from afar: it changes nothing, and tells nothing of the server. */
  readonly bridgeSafe: boolean;
}

/** Answered where it is accepted, also while a turn runs. The client shows it; the conversation never hears of it. */
export interface ClientCommand extends Described {
  readonly kind: 'client';
  /** Bad arguments are an answer too. */
  readonly answer: (call: SlashCall) => Promise<CommandAnswer>;
}

/** Runs in its turn, in the order of acceptance. Its text joins the conversation: readers see it, and the model at its next request. */
export interface LocalCommand extends Described {
  readonly kind: 'local';
  readonly run: (call: SlashCall) => Promise<string>;
}

/** A prompt that ships with the server: expands like a skill. */
export interface PromptCommand extends Described {
  readonly kind: 'prompt';
  readonly body: string;
}

/** Decided and done elsewhere: it closes the session, or is a turn of its own kind. */
export interface OtherCommand extends Described {
  readonly kind: 'exit' | 'turn';
}

export type SlashCommand = ClientCommand | LocalCommand | PromptCommand | OtherCommand;

/** A command as its callers see it. */
export interface CommandSummary {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string | null;
  readonly kind: 'client' | 'local' | 'prompt';
  /** Answered while a turn runs; any other waits its turn. */
  readonly immediate: boolean;
  readonly bridgeSafe: boolean;
  /** `builtin`, or where it was installed from. */
  readonly source: 'builtin' | 'skill' | 'command';
}
