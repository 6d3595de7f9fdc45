import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { currentFields } from './log-fields.js';
import { traceFields } from './spans.js';

/** Contexts of Nest's own start, which are logged at debug level. */
const NEST: ReadonlySet<unknown> = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Nest's logger as JSON lines with the fields `context`, the request's fields and its trace, and the stack of errors. */
export class PinoLogger implements LoggerService {
  readonly #pino: Logger;

  /** `level`: the lowest level that is written, or `silent`. `destination`: by default standard output. */
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

  /** Nest passes the context last and, for errors, the stack before it. */
  #write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    const stack = rest.slice(0, -1).find((part) => typeof part === 'string');
    const fields = { ...(context === undefined ? {} : { context }), ...(stack === undefined ? {} : { stack }) };
    if (isError(message)) this.#pino[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.#pino[level]({ ...fields, ...message });
    else this.#pino[level](fields, String(message));
  }
}

/** By shape, because errors of other realms are not instances of this realm's `Error`. */
function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'stack' in value && 'message' in value;
}
