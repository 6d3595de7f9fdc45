/** Puts a text into the clipboard, which exists in secure contexts only; where it does not, nothing happens. */
export const copy = (text: string): void => void navigator.clipboard?.writeText(text).catch(() => undefined);
