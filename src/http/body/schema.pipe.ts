import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../../core/errors.js';
import { faultsOf, requireShape } from './validation-errors.js';

/**
 * Checks what a route declares with `{ schema }`. A body is checked and then handed on untouched, down to the order of its members: what somebody
 * said is stored as it was said. A query is text, so there the schema's own value counts.
 */
@Injectable()
export class SchemaPipe implements PipeTransform {
  async transform(value: unknown, { schema, type }: ArgumentMetadata): Promise<unknown> {
    if (!schema) return value;
    if (type !== 'query') {
      if (!(value instanceof Uint8Array)) await requireShape(value, schema); // bytes: a body that the route reads itself
      return value;
    }
    const result = await schema['~standard'].validate(value);
    if (!result.issues) return result.value;
    const parameters = faultsOf(result.issues).map(({ pointer, text }) => ({ pointer: `?${pointer.slice(1)}`, text }));
    throw new DomainError('invalid_input', 'The query is not of the expected shape.', parameters);
  }
}
