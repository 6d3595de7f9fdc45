import type { Sha256OfText } from '../../../packages/normalizer/prefix.js';
import type { Accounts, GateSource, JobQueue, LiveBus, Model } from '../../ports/index.js';
import type { CommandAnswer } from '../../session/state/commands.js';
import type { SessionState } from '../../session/state/state.js';

/** Dependencies of the commands. */
export interface SlashDependencies {
  readonly accounts: Accounts;
  readonly queue: JobQueue;
  readonly live: LiveBus;
  readonly model: Model;
  readonly gates: GateSource;
  /** Output tokens requested for an answer. */
  readonly maxOutputTokens: number;
  readonly sha256: Sha256OfText;
  /** Every command that is available to the tenant. */
  readonly commands: () => Promise<readonly CommandSummary[]>;
}

export interface SlashCall extends SlashDependencies {
  readonly tenantId: string;
  readonly sessionId: string;
  /** Text after the command's name. */
  readonly args: string;
  /** The current session. Shared and mutable: read it before the next await. */
  readonly session: () => Promise<SessionState>;
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** May be run from a remote client: it changes nothing and discloses nothing about the server. */
  readonly bridgeSafe: boolean;
}

/** Answered when it is submitted, even while a turn runs. The client shows the answer; it does not become part of the conversation. */
export interface ClientCommand extends Described {
  readonly kind: 'client';
  /** Invalid arguments are reported in the answer, not thrown. */
  readonly answer: (call: SlashCall) => Promise<CommandAnswer>;
}

/** Runs in a separate turn, in the order of submission. Its output becomes part of the conversation. */
export interface LocalCommand extends Described {
  readonly kind: 'local';
  readonly run: (call: SlashCall) => Promise<string>;
}

/** A prompt that is part of the server; expanded like a skill. */
export interface PromptCommand extends Described {
  readonly kind: 'prompt';
  readonly body: string;
}

/** Implemented elsewhere: `exit` closes the session; `turn` is its own turn kind. */
export interface OtherCommand extends Described {
  readonly kind: 'exit' | 'turn';
}

export type SlashCommand = ClientCommand | LocalCommand | PromptCommand | OtherCommand;

/** A command as it is listed. */
export interface CommandSummary {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string | null;
  readonly kind: 'client' | 'local' | 'prompt';
  /** Answered even while a turn runs; the others are queued. */
  readonly immediate: boolean;
  readonly bridgeSafe: boolean;
  /** `builtin`, or the kind of file it was installed from. */
  readonly source: 'builtin' | 'skill' | 'command';
}
