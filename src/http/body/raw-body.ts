import { SetMetadata } from '@nestjs/common';

export const RAW_BODY = 'body:raw';

/** The route takes its body as bytes (empty without one) and parses it; `@Body({ schema })` then is documentation only. */
export const RawBody = (): MethodDecorator => SetMetadata(RAW_BODY, true);
