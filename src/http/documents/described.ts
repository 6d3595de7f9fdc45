import type * as Library from '@nestjs/swagger';

type Decorators = typeof Library;
type Target = Parameters<MethodDecorator>;

/** What was declared and not yet handed to the library. */
const waiting: ((library: Decorators) => void)[] = [];

/**
 * Decorators of the OpenAPI library for a controller or a route, kept until the document is asked for: the library has as many modules as half of the server, which a start would load for a page that
 * most processes never serve.
 */
export function described(decorators: (library: Decorators) => readonly (ClassDecorator | MethodDecorator)[]): ClassDecorator & MethodDecorator {
  return ((...target: Target) => {
    waiting.push((library) => {
      for (const decorate of decorators(library)) (decorate as MethodDecorator)(...target);
    });
  }) as ClassDecorator & MethodDecorator;
}

/** Hands everything that was declared since the last call to the library. */
export function describe(library: Decorators): void {
  for (const declare of waiting.splice(0)) declare(library);
}

/** What the operations of a controller are about: a name in `TAGS` of open-api.ts. */
export const ApiTags = (...names: readonly string[]): ClassDecorator => described((library) => [library.ApiTags(...names)]);

/** A request header of a route, which may be left out. */
export const header = (name: string, description: string): MethodDecorator =>
  described((library) => [library.ApiHeader({ name, required: false, description })]);

/** A route takes a body of text. */
export const textBody = (mediaType: string, example: string): MethodDecorator =>
  described((library) => [library.ApiConsumes(mediaType), library.ApiBody({ required: true, schema: { type: 'string', example } })]);
