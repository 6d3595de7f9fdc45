import type { Base64Bytes } from './base64.js';
import { type Pdf, readPdf } from './pdf.js';

/** Why a PDF cannot be sent. `text` follows its name, such as "is password protected". */
export interface PdfFault {
  readonly fault: 'not_pdf' | 'encrypted' | 'no_pages' | 'too_many_pages';
  readonly text: string;
}

/** The PDF, or why the model API refuses it. A PDF of which the pages cannot be counted is given the benefit of the doubt. */
export function usablePdf(bytes: Base64Bytes, maxPages: number): Pdf | PdfFault {
  const pdf = readPdf(bytes);
  if (!pdf) return { fault: 'not_pdf', text: 'is not a PDF (detected from the bytes, not the label)' };
  if (pdf.isEncrypted) return { fault: 'encrypted', text: 'is password protected' };
  if (pdf.pages === 0) return { fault: 'no_pages', text: 'has no pages' };
  if ((pdf.pages ?? 0) > maxPages) return { fault: 'too_many_pages', text: `has ${pdf.pages} pages; the limit is ${maxPages}` };
  return pdf;
}
