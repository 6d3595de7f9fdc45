import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { requireAwaited } from '../../session/decide/answer-calls.js';
import { hasInlineBytes } from '../../../packages/normalizer/media/out-of-line.js';
import type { FieldError } from '../../../packages/protocol/errors.js';
import type { Content, Json } from '../../../packages/protocol/message/content.js';
import { type FileBlock, filesInContent, filesRejected } from '../../session/prompt/files/index.js';
import { Clock, Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { CommandContext, CommandResult } from './context.js';
import { defineCommand } from './define-command.js';
import { Executor } from './execute.js';
import { type Inspected, type Unusable } from '../media/media-intake.js';
import { type KeptResult, ResultMedia } from '../media/result-media.js';

/** The result of one tool call, posted by the client that ran it. */
export interface PostedToolResult {
  readonly toolUseId: string;
  readonly content: Content;
  readonly isError: boolean;
  /** Structured output for readers; the model gets `content`. */
  readonly toolUseResult?: Json;
}

/** Answers tool calls of the waiting turn that the client runs. */
export class PostToolResultsCommand extends defineCommand<{ results: PostedToolResult[] }, { readonly accepted: number }>({ action: 'session.tools' }) {}

type Accepted = CommandResult & { readonly accepted: number };

@CommandHandler(PostToolResultsCommand)
export class PostToolResultsHandler implements ICommandHandler<PostToolResultsCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly media: ResultMedia,
    private readonly clock: Clock,
  ) {}

  async execute({ context, results }: PostToolResultsCommand): Promise<Accepted> {
    const { clock } = this;
    const kept = await this.#withStoredFiles(context, results);
    const { version, replayed } = await this.executor.execute(context, {
      type: 'PostToolResults',
      results: kept.map((result) => ({ ...result, uuid: clock.uuid() })),
      at: clock.timestamp(),
    });
    return { version, replayed, accepted: results.length };
  }

  /** All files are inspected first, so that nothing of a rejected request is stored. */
  async #withStoredFiles(context: CommandContext, results: readonly PostedToolResult[]): Promise<readonly (PostedToolResult & Partial<KeptResult>)[]> {
    if (!results.some(mayHaveBytes)) return results;
    const { principal, sessionId } = context;
    const state = await this.sessions.load(principal.tenantId, sessionId);
    requireAccess(state, principal);
    try {
      requireAwaited(state.turn, results);
    } catch (rejection) {
      // A repeat: its calls have their results.
      if (await this.executor.replay(context)) return results;
      throw rejection;
    }
    const { model } = state.settings;
    const inspected: (readonly Inspected[])[] = [];
    for (const result of results) inspected.push(await this.media.inspect(result));
    const faults = inspected.flatMap((files, index) => files.flatMap((file) => ('fault' in file ? [faultOf(file, index, results[index]!.content)] : [])));
    if (faults[0]) throw filesRejected(faults[0].kind, faults);
    const kept: (PostedToolResult & KeptResult)[] = [];
    for (const [index, result] of results.entries()) {
      const { content } = result;
      const unusable = (file: Unusable): never => {
        const fault = faultOf(file, index, content);
        throw filesRejected(fault.kind, [fault]);
      };
      kept.push(await this.media.keep({ tenantId: principal.tenantId, sessionId }, result, model, new AbortController().signal, unusable, inspected[index]));
    }
    return kept;
  }
}

const mayHaveBytes = ({ content, toolUseResult }: PostedToolResult): boolean =>
  (toolUseResult !== undefined && hasInlineBytes(toolUseResult)) || filesInContent(content).some(({ source }) => source?.type === 'base64');

const faultOf = ({ block, fault }: Unusable, index: number, content: Content): FieldError & { readonly kind: FileBlock['type'] } => ({
  kind: block.type,
  pointer: `/results/${index}/content/${(content as readonly unknown[]).indexOf(block)}/source/data`,
  text: fault,
});
