/** Options of a generated PDF with valid cross-references, as Latin-1 text. */
export interface PdfOptions {
  readonly pages?: number;
  readonly encrypted?: boolean;
  /** Writes the cross-references as a stream. */
  readonly compressed?: boolean;
  /** Text before the signature. */
  readonly junk?: string;
  /** Adds an incremental update with a page tree of this many pages. */
  readonly revisedPages?: number;
  /** Spaces before the objects. */
  readonly padding?: number;
}

export function pdfFile({ pages = 1, encrypted = false, compressed = false, junk = '', revisedPages, padding = 0 }: PdfOptions = {}): string {
  const tree = (count: number): string => `2 0 obj\n<< /Type /Pages /Kids [${'3 0 R '.repeat(count)}] /Count ${count} >>\nendobj\n`;
  const secret = encrypted ? ' /Encrypt 9 0 R' : '';
  const objects = ['1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n', tree(pages), '3 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n'];
  let file = `%PDF-1.7\n${' '.repeat(padding)}`;
  const offsets = objects.map((object) => {
    const at = file.length;
    file += object;
    return at;
  });
  const entry = (at: number): string => `${String(at).padStart(10, '0')} 00000 n \n`;
  let start = file.length;
  if (compressed)
    file += `4 0 obj\n<< /Type /XRef /Size 5 /Root 1 0 R${secret} /Length 4 >>\nstream\nx\u009cab\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`;
  else file += `xref\n0 4\n0000000000 65535 f \n${offsets.map(entry).join('')}trailer\n<< /Size 4 /Root 1 0 R${secret} >>\nstartxref\n${start}\n%%EOF\n`;
  if (revisedPages === undefined) return junk + file;
  const at = file.length;
  file += tree(revisedPages);
  const previous = start;
  start = file.length;
  return `${junk}${file}xref\n2 1\n${entry(at)}trailer\n<< /Size 4 /Root 1 0 R /Prev ${previous} >>\nstartxref\n${start}\n%%EOF\n`;
}
