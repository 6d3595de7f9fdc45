import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { currentFields } from './log-fields.js';
import { traceFields } from './spans.js';

/** What Nest tells of its own start: of use to who changes the code, not to who runs it. */
const NEST: ReadonlySet<unknown> = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Nest's logging as JSON lines: the place that logs as `context`, the request's fields and its trace on every line, errors with their stack. */
export class PinoLogger implements LoggerService {
  readonly #pino: Logger;

  /** `level`: the least that is written, or `silent`. Lines go to standard output unless a destination is given. */
  constructor(level: Level | 'silent', destination?: DestinationStream) {
    const options = {
      level,
      base: null,
      mixin: () => ({ ...currentFields(), ...traceFields() }),
      formatters: { level: (label: string) => ({ level: label }) },
    };
    this.#pino = destination ? pino(options, destination) : pino(options);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.#write(NEST.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  /** Nest gives the context last, and for errors the stack before it. */
  #write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    const stack = rest.slice(0, -1).find((part) => typeof part === 'string');
    const fields = { ...(context === undefined ? {} : { context }), ...(stack === undefined ? {} : { stack }) };
    if (isError(message)) this.#pino[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.#pino[level]({ ...fields, ...message });
    else this.#pino[level](fields, String(message));
  }
}

/** By shape: errors of other realms are no `Error` of ours. */
function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'stack' in value && 'message' in value;
}
