import { type ArgumentMetadata, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Lengths } from '../schemas/lengths.js';
import { faultsOf, requireShape } from './validation-errors.js';

/**
 * Validates what a route declares with `{ schema }`. A body passes unchanged, including the order of its members, because it is stored as it was sent. A query is
 * text, so the parsed value is used.
 */
@Injectable()
export class SchemaPipe implements PipeTransform {
  constructor(@Inject(SETTINGS) private readonly settings: Lengths) {}

  async transform(value: unknown, { schema, type }: ArgumentMetadata): Promise<unknown> {
    if (!schema) return value;
    if (type !== 'query') {
      if (!(value instanceof Uint8Array)) await requireShape(value, schema, this.settings); // bytes: a raw body, which the route parses
      return value;
    }
    const result = await schema['~standard'].validate(value);
    if (!result.issues) return result.value;
    const parameters = faultsOf(result.issues).map(({ pointer, text }) => ({ pointer: `?${pointer.slice(1)}`, text }));
    throw new DomainError('invalid_input', 'The query does not match its schema; the entries of `errors` name each fault.', parameters);
  }
}
