/** Characters that change the order or the look of the text around them, or hide. */
const DECEIVING = /[^\P{Cc}\t\n\r]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const numberOf = (character: string): string => character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');

/** They are shown by their number. */
export const visible = (text: string): string => text.replace(DECEIVING, (character) => `⟦U+${numberOf(character)}⟧`);

/** The same within JSON, which it stays. */
export const escaped = (json: string): string => json.replace(DECEIVING, (character) => `\\u${numberOf(character).toLowerCase()}`);
