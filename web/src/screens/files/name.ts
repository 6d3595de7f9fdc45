import { visible } from '../../text/deceiving.ts';

/** The path of a file on one line: line ends, tabs, and what reorders or hides text are shown by their number. */
export const nameOf = (path: string): string =>
  visible(path).replace(/[\t\n\r]/g, (character) => `⟦U+000${character.charCodeAt(0).toString(16).toUpperCase()}⟧`);

const KIND = 0o170000;
const LINK = 0o120000;

export const isLink = (mode: number): boolean => (mode & KIND) === LINK;
export const isExecutable = (mode: number): boolean => !isLink(mode) && (mode & 0o100) !== 0;

/** As shells list files: what begins with a dot, or is in a folder that does, is not shown at first. */
export const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'));
