/** How a form writes a list without names. */
export const NONE = 'none';

/** Names with commas between them; absent: no list. */
export const textOf = (names: readonly string[] | undefined): string => (names === undefined ? '' : names.length === 0 ? NONE : names.join(', '));

export const namesIn = (text: string): string[] =>
  text.trim() === NONE
    ? []
    : text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
