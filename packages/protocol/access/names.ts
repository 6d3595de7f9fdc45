/** Characters that take no room themselves: control and format characters, what is ignored by default, and the blank of Braille. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/gu;

/** Whether everything in a name can be seen: such a name is not taken for another one that is written like it. */
export function isVisible(name: string): boolean {
  return name.replace(INVISIBLE, '').trim() === name;
}

/**
 * What a name looks like: names that differ in case, in the composition of characters, in spaces or in what is invisible look alike, and stand for one user or one tenant.
 * Empty: nothing of the name can be seen.
 */
export function lookOf(name: string): string {
  const visible = name.normalize('NFKC').replace(INVISIBLE, '').replace(/\s+/gu, ' ').trim();
  // By upper case first, where ß is SS and both sigmas are one.
  return visible.toUpperCase().toLowerCase().normalize('NFKC');
}
