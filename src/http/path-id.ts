import { Injectable, Param, type PipeTransform } from '@nestjs/common';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The nil uuid (RFC 9562). */
const NIL = '00000000-0000-0000-0000-000000000000';

/** An id that is not a uuid becomes the nil uuid, so that both get the same 404. */
export function pathId(given: unknown): string {
  return typeof given === 'string' && UUID.test(given) ? given.toLowerCase() : NIL;
}

@Injectable()
class PathIdPipe implements PipeTransform {
  transform(value: unknown): string {
    return pathId(value);
  }
}

/** Injects an id from the path. */
export const PathId = (name: string) => Param(name, PathIdPipe);
