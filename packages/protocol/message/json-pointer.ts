/** A member's name as a segment of a JSON pointer (RFC 6901, section 3). */
export const pointerSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
