import { Command } from '@nestjs/cqrs';
import type { ImportReport, SessionSettings } from '../core/session/events.js';
import type { ImportFile } from '../core/transfer/import-file.js';
import type { Carried, CommandContext } from './context.js';

export interface ImportAnswer {
  readonly id: string;
  readonly report: ImportReport;
}

/** Makes a session of a file. */
export class ImportSessionCommand extends Command<Carried & ImportAnswer> {
  constructor(
    readonly context: CommandContext,
    readonly file: ImportFile,
    /** For whatever the file does not say. */
    readonly defaults: SessionSettings,
    /** Pieces of one answer are joined up to so many bytes. */
    readonly maxMessageBytes: number,
  ) {
    super();
  }
}
