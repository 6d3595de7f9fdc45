import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { Executor } from '../../engine/commands/execute.js';
import { KeyedMutex } from '../../platform/async/keyed-mutex.js';
import { FileSessions } from './file-sessions.js';
import { FileWriter, type GivenLines, type WrittenLines } from './file-writer.js';

export interface LinesAnswer extends WrittenLines {
  readonly id: string;
}

/** Appends lines to a session file, with the messages that are made of them. */
export class AppendLinesCommand extends defineCommand<GivenLines, LinesAnswer>({ action: 'session.create' }) {}

/** Attempts to append while others append to the same session. */
const ATTEMPTS = 25;

@CommandHandler(AppendLinesCommand)
export class AppendLinesHandler implements ICommandHandler<AppendLinesCommand> {
  readonly #mutex = new KeyedMutex();

  constructor(
    private readonly files: FileSessions,
    private readonly writer: FileWriter,
    private readonly executor: Executor,
  ) {}

  async execute({ context, key, lines, summary }: AppendLinesCommand): Promise<CommandResult & LinesAnswer> {
    const { id } = await this.files.find(context.principal, key);
    // In this process one after the other, in the order in which they came.
    return this.#mutex.run(id, () => this.#append({ ...context, sessionId: id }, { key, lines, summary }));
  }

  async #append(context: CommandContext, given: GivenLines): Promise<CommandResult & LinesAnswer> {
    const replayed = (await this.executor.replay(context)) !== null;
    // The lines are in the log; messages of them may be missing.
    let isRecorded = replayed;
    for (let attempt = 1; ; attempt += 1) {
      const { id, state } = await this.files.find(context.principal, given.key);
      if (isRecorded && id !== context.sessionId) throw new DomainError('session_erased', 'The session file was erased after these lines were appended.');
      try {
        const written = await this.writer.write({ ...context, sessionId: id }, given, state, isRecorded, () => (isRecorded = true));
        return { ...written, id, replayed };
      } catch (error) {
        // Another process has appended meanwhile, or has created the session.
        const isOvertaken = error instanceof DomainError && error.code === 'version_conflict' && context.expectedVersion === null && attempt < ATTEMPTS;
        if (!isOvertaken) throw error;
      }
    }
  }
}
