import { SetMetadata } from '@nestjs/common';

export const RAW_BODY = 'body:as-it-came';

/** The route takes its body as bytes (empty without one) and reads it itself; `@Body({ schema })` then only documents it. */
export const RawBody = (): MethodDecorator => SetMetadata(RAW_BODY, true);
