import { AccessLog } from '../../engine/commands/access-log.js';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import type { z } from 'zod';
import { CreateSessionCommand } from '../../engine/commands/create-session.js';
import type { CommandContext } from '../../engine/commands/context.js';
import type { CommandType } from '../../engine/commands/define-command.js';
import { DecideToolCommand } from '../../engine/commands/decide-tool.js';
import { InterruptCommand } from '../../engine/commands/interrupt.js';
import { PostToolResultsCommand } from '../../engine/commands/post-tool-results.js';
import { RegenerateCommand } from '../../engine/commands/regenerate.js';
import { SubmitPromptCommand } from '../../engine/commands/submit-prompt.js';
import { WithdrawPromptCommand } from '../../engine/commands/withdraw-prompt.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { may, TENANT } from '../../../packages/protocol/access/may.js';
import { type AuthorizedCaller, authorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { Clock, Sessions } from '../../ports/index.js';
import { typedText } from '../../session/prompt/files/given-files.js';
import { requireAccess } from '../../session/state/access.js';
import type { SessionState, Turn } from '../../session/state/state.js';
import { callsThatAre } from '../../session/state/tool-calls.js';
import { newSession } from '../../http/new-session.js';
import type { uiChatBody } from './ui-chat-schemas.js';
import { EventStreams } from '../../http/stream/event-streams.js';
import { commandIdOf, currentPrompt, sessionIdOfChat, sha256, uuidIn, uuidOfMessage } from './chat-ids.js';
import { type Chunk } from './chunks.js';
import { askedIn, uiMessages } from './history.js';
import { type Newest, newestMessage } from './newest-message.js';
import { TurnChunks } from './turn-chunks.js';
import { chunkText, DONE, UI_STREAM_HEADERS, UiFormat } from './ui-format.js';
import type { UiMessage } from './ui-message.js';

type Body = z.output<typeof uiChatBody>;
type Prompt = Extract<Newest, { role: 'user' }>;
type Answers = Extract<Newest, { role: 'assistant' }>;

interface Chat {
  readonly sessionId: string;
  /** Null: the session does not exist yet. */
  readonly state: SessionState | null;
}

/** A turn to stream: the events after `after`. */
interface Streamed {
  readonly turnId: string;
  readonly promptId: string;
  readonly after: number;
  readonly continues?: boolean;
}

/** Chats of the AI SDK: a chat is a session, its newest message a command, the stream of its answer a turn. */
@Injectable()
export class UiChats {
  readonly #log = new Logger('UiChats');

  constructor(
    private readonly commands: CommandBus,
    private readonly sessions: Sessions,
    private readonly streams: EventStreams,
    private readonly clock: Clock,
    private readonly accesses: AccessLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL'>,
  ) {}

  /** The conversation without the answer that is being written: the stream of the chat begins with it. */
  async messages(caller: AuthorizedCaller, chatId: string): Promise<{ readonly sessionId: string | null; readonly messages: readonly UiMessage[] }> {
    const { sessionId, state } = await this.#find(authorizedCaller(caller, 'session.read', caller.now), chatId);
    return state ? { sessionId, messages: uiMessages(sessionId, state) } : { sessionId: null, messages: [] };
  }

  /** Streams the running turn from its beginning; 204 without one. */
  async resume(caller: AuthorizedCaller, chatId: string, response: Response): Promise<void> {
    const { sessionId, state } = await this.#find(authorizedCaller(caller, 'session.read', caller.now), chatId);
    const turn = state?.turn;
    if (!state || turn?.status !== 'running') {
      response.status(204).end();
      return;
    }
    await this.#stream(caller, sessionId, { turnId: turn.turnId, promptId: turn.promptId, after: firstSeq(state, turn) - 1 }, response, 'continue');
  }

  /** Interrupts the running turn. */
  async stop(caller: AuthorizedCaller, chatId: string): Promise<{ readonly version: number; readonly interrupted: boolean }> {
    const { sessionId, state } = await this.#find(authorizedCaller(caller, 'session.prompt', caller.now), chatId);
    if (!state) throw new DomainError('session_not_found', 'There is no such session.');
    const { version, interrupted } = await this.commands.execute(
      new InterruptCommand(this.#context(caller, InterruptCommand, sessionId, null), { reason: 'stopped' }),
    );
    return { version, interrupted };
  }

  async send(caller: AuthorizedCaller, body: Body, response: Response): Promise<void> {
    const newest = newestMessage(body.messages);
    const action = newest.role === 'user' ? 'session.prompt' : 'session.tools';
    const chat = await this.#find(authorizedCaller(caller, action, caller.now), body.id);
    const streamed = newest.role === 'user' ? await this.#prompt(caller, chat, newest, body, response) : await this.#answer(caller, chat, newest);
    if (streamed) await this.#stream(caller, chat.sessionId, streamed, response, body.onDisconnect ?? 'continue');
  }

  /** Null: the prompt was answered at once, and so was the request. */
  async #prompt(caller: AuthorizedCaller, { sessionId, state }: Chat, { messageId, input }: Prompt, body: Body, response: Response): Promise<Streamed | null> {
    const uuid = uuidOfMessage(sessionId, messageId);
    const known = state && promptWith(state, currentPrompt(state, uuid) ?? uuid);
    const current = known && state && currentPrompt(state, known.uuid);
    if (known && current && body.trigger === 'regenerate-message') {
      const again = await this.commands.execute(
        new RegenerateCommand(this.#context(caller, RegenerateCommand, sessionId, null), { prompt: current, whenBusy: 'interrupt' }),
      );
      return this.#begun(sessionId, again, response);
    }
    // The same message again: the client has lost the answer. Its turn is streamed from the beginning.
    if (known && isSameInput(known.input, input)) return { turnId: known.turnId, promptId: known.promptId, after: known.after };
    if (!state) await this.#create(caller, sessionId, body);
    const submission = { input, mode: 'prompt' as const, ...(body.timeZone === undefined ? {} : { timeZone: body.timeZone }) };
    const digest = sha256(input);
    const terms = current ? { whenBusy: 'interrupt' as const, replaces: { before: current, cause: 'edit' as const } } : { whenBusy: 'enqueue' as const, uuid };
    const context = this.#context(caller, SubmitPromptCommand, sessionId, ['prompt', current ?? uuid, digest]);
    const accepted = await this.commands.execute(new SubmitPromptCommand(context, { submission, terms }));
    if (accepted.turnId === undefined) await this.accesses.record(authorizedCaller(caller, 'session.read', caller.now), sessionId);
    return this.#begun(sessionId, accepted, response);
  }

  #begun(
    sessionId: string,
    { turnId, promptId, version, display }: { readonly turnId?: string; readonly promptId: string; readonly version: number; readonly display?: unknown },
    response: Response,
  ): Streamed | null {
    if (turnId !== undefined) return { turnId, promptId, after: version };
    const { text, level = 'notice' } = loose(display);
    const notice = { type: 'data-notice', id: promptId, data: { subtype: 'display', level: String(level), text: String(text ?? '') } } as const;
    endWith(response, [startOf(sessionId, promptId), notice, { type: 'finish', finishReason: 'stop' }]);
    return null;
  }

  async #answer(caller: AuthorizedCaller, { sessionId, state }: Chat, { decisions, results }: Answers): Promise<Streamed> {
    if (!state) throw new DomainError('session_not_found', 'There is no such session.');
    const { turn, version } = state;
    const asked = askedIn(turn);
    const awaited = turn ? callsThatAre('awaiting_client', turn).map(({ toolUseId }) => toolUseId) : [];
    const decided = decisions.filter(({ toolUseId }) => asked.includes(toolUseId));
    const posted = results.filter(({ toolUseId }) => awaited.includes(toolUseId));
    if (!turn || (decided.length === 0 && posted.length === 0 && turn.status !== 'running')) {
      throw new DomainError(
        'tool_call_not_waiting',
        'The newest message is an answer with no decision or result that the turn waits for; send a prompt, or read the conversation again.',
      );
    }
    const { turnId, promptId, segment, status } = turn;
    // The same answers again, and the turn continues already.
    if (status === 'running') return { turnId, promptId, after: Math.max(0, segment - 1), continues: true };
    const context = (command: CommandType, ...request: readonly string[]): CommandContext => this.#context(caller, command, sessionId, request);
    if (posted.length > 0)
      await this.commands.execute(new PostToolResultsCommand(context(PostToolResultsCommand, 'results', sha256(posted)), { results: posted }));
    for (const { toolUseId, approved, reason } of decided) {
      const decision = { toolUseId, decision: approved ? ('allow' as const) : ('reject' as const), feedback: approved ? null : reason, updatedInput: null };
      await this.commands.execute(new DecideToolCommand(context(DecideToolCommand, 'decision', toolUseId), { decision })).catch((error: unknown) => {
        // A rejection may have ended the turn, and with it the calls that were decided after it.
        if (!(error instanceof DomainError) || error.code !== 'tool_call_not_waiting' || toolUseId === decided[0]?.toolUseId) throw error;
      });
    }
    return { turnId, promptId, after: version, continues: true };
  }

  async #stream(
    caller: AuthorizedCaller,
    sessionId: string,
    { turnId, promptId, after, continues = false }: Streamed,
    response: Response,
    onDisconnect: Body['onDisconnect'],
  ) {
    const turn = new TurnChunks(turnId, promptId, continues);
    if (onDisconnect === 'interrupt') {
      const gone = (): void => {
        if (turn.closing === null && !this.streams.stopping.aborted) void this.#interrupt(caller, sessionId, turnId, promptId);
      };
      // The client may have disconnected before its prompt was accepted.
      if (response.destroyed) gone();
      else response.once('close', gone);
    }
    const reading = authorizedCaller(caller, 'session.read', caller.now);
    await this.accesses.record(reading, sessionId);
    await this.streams.open(response, reading, sessionId, after, new UiFormat(turn, startOf(sessionId, turnId)));
  }

  /** Stops this turn and no other: another one may run by now, or this one may be queued. */
  async #interrupt(caller: AuthorizedCaller, sessionId: string, turnId: string, promptId: string): Promise<void> {
    try {
      const { turn, queue } = await this.sessions.load(caller.tenantId, sessionId);
      const isQueued = queue.some((prompt) => prompt.promptId === promptId);
      const context = (command: CommandType): CommandContext => this.#context(caller, command, sessionId, null);
      if (isQueued) await this.commands.execute(new WithdrawPromptCommand(context(WithdrawPromptCommand), { promptId }));
      else if (turn?.turnId === turnId) await this.commands.execute(new InterruptCommand(context(InterruptCommand), { reason: 'the client disconnected' }));
    } catch (error) {
      if (!(error instanceof DomainError)) this.#log.warn({ msg: 'The turn of a client that disconnected could not be interrupted.', err: error });
    }
  }

  async #create(caller: AuthorizedCaller, sessionId: string, { session = {} }: Body): Promise<void> {
    if (!may(caller, 'session.create', TENANT)) {
      throw new DomainError('forbidden', 'This message would create a session, which your role or the scopes of your credentials do not allow.');
    }
    await this.commands.execute(
      new CreateSessionCommand(this.#context(caller, CreateSessionCommand, sessionId, ['create']), { settings: newSession(session, this.settings.MODEL) }),
    );
  }

  /** A uuid that names a session of the caller is that session. Every other id names the caller's own session: no answer tells which ids others use. */
  async #find(caller: AuthorizedCaller, chatId: string): Promise<Chat> {
    const named = uuidIn(chatId);
    for (const sessionId of [...(named === null ? [] : [named]), sessionIdOfChat(caller, chatId)]) {
      const state = await this.sessions.load(caller.tenantId, sessionId);
      try {
        requireAccess(state, caller);
        if (caller.action === 'session.read') await this.accesses.record(caller, sessionId);
        return { sessionId, state };
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'session_not_found') throw error;
      }
    }
    return { sessionId: sessionIdOfChat(caller, chatId), state: null };
  }

  /** `request`: what makes a repeat the same request; null: every request is a new one. */
  #context(caller: AuthorizedCaller, { action }: CommandType, sessionId: string, request: readonly string[] | null): CommandContext {
    const commandId = request === null ? this.clock.uuid() : commandIdOf(sessionId, caller.userId, ...request);
    return { principal: authorizedCaller(caller, action, caller.now), sessionId, commandId, requestHash: sha256(request ?? commandId), expectedVersion: null };
  }
}

const startOf = (sessionId: string, turnId: string): Chunk => ({ type: 'start', messageId: turnId, messageMetadata: { sessionId, turnId } });

function endWith(response: Response, chunks: readonly Chunk[]): void {
  response
    .set(UI_STREAM_HEADERS)
    .type('text/event-stream')
    .send(chunkText(chunks) + DONE);
}

/** The prompt with this message, queued ones included. */
function promptWith(state: SessionState, uuid: string) {
  const found = [...state.prompts.values()].findLast(({ submission }) => submission.uuid === uuid);
  if (!found || found.status === 'withdrawn' || found.status === 'answered') return null;
  const { turnId, promptId, original } = found.submission;
  const turn = state.turns.get(turnId);
  return { uuid, turnId, promptId, input: original, after: turn ? firstSeq(state, turn) - 1 : state.version };
}

/** Seq of the first event of a turn that its stream needs. */
function firstSeq(state: SessionState, turn: Turn): number {
  const seqs = [...turn.messages.map((uuid) => state.messages.get(uuid)?.seq), ...turn.requestIds.map((id) => state.requests.get(id)?.seq)];
  return Math.min(state.version + 1, ...seqs.filter((seq) => seq !== undefined));
}

/** By their texts: the files of a stored prompt are references. */
function isSameInput(one: Prompt['input'], other: Prompt['input']): boolean {
  const filesIn = (input: Prompt['input']): number => (typeof input === 'string' ? 0 : input.filter(({ type }) => type !== 'text').length);
  return typedText(one).trim() === typedText(other).trim() && filesIn(one) === filesIn(other);
}
