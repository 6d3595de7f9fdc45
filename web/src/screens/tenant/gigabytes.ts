/** Digits after the point of a gigabyte that are whole bytes. */
const DIGITS = 9;

/** A number of bytes in gigabytes of 1,000,000,000, exactly. */
export function gigabytesOf(bytes: number): string {
  const digits = String(bytes).padStart(DIGITS + 1, '0');
  const part = digits.slice(-DIGITS).replace(/0+$/, '');
  return digits.slice(0, -DIGITS) + (part && `.${part}`);
}

/** The bytes of gigabytes that a person has written with a point, exactly; of other numbers, such as 1e-3, the nearest. */
export function bytesOf(gigabytes: string): number {
  const [, whole, part = ''] = /^(\d*)(?:\.(\d*))?$/.exec(gigabytes) ?? [];
  return whole === undefined ? Math.round(Number(gigabytes) * 10 ** DIGITS) : Number(whole + part.slice(0, DIGITS).padEnd(DIGITS, '0'));
}
