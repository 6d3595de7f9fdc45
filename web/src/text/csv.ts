/** A file of RFC 4180: lines end with CRLF; what has quotes, commas or line ends is quoted. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string => rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

function cell(value: string | number): string {
  const text = String(value);
  // A spreadsheet would compute it, as it does after white space that it drops.
  const inert = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
