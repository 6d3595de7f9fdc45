import { SetMetadata } from '@nestjs/common';

export const AS_IT_CAME = 'body:as-it-came';

/** The route takes its body as bytes (empty without one) and reads it itself; `@Body({ schema })` then only documents it. */
export const BodyAsItCame = (): MethodDecorator => SetMetadata(AS_IT_CAME, true);
