import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { base64Bytes, type Base64Bytes } from '../../packages/normalizer/media/base64.js';
import { readPdf } from '../../packages/normalizer/media/pdf.js';
import { pdfFile } from '../support/api-rules/pdf-file.js';

const bytesOf = (file: string): Base64Bytes => {
  const bytes = base64Bytes(Buffer.from(file, 'latin1').toString('base64'));
  if (!bytes) throw new Error('not base64');
  return bytes;
};
const read = (file: string) => readPdf(bytesOf(file));

describe('readPdf', () => {
  it.each([
    ['its pages', pdfFile({ pages: 7 }), { isEncrypted: false, pages: 7 }],
    ['more of them than one read holds of its dictionary', pdfFile({ pages: 700 }), { isEncrypted: false, pages: 700 }],
    ['its pages after a change', pdfFile({ pages: 7, revisedPages: 9 }), { isEncrypted: false, pages: 9 }],
    ['pages after junk before the signature', pdfFile({ pages: 7, junk: 'HTTP/1.1 200 OK\r\n\r\n' }), { isEncrypted: false, pages: 7 }],
    ['that it is encrypted', pdfFile({ encrypted: true }), { isEncrypted: true, pages: 1 }],
    ['that it was before a change', pdfFile({ encrypted: true, revisedPages: 2 }), { isEncrypted: true, pages: 2 }],
    ['nothing of pages where they are compressed', pdfFile({ pages: 7, compressed: true }), { isEncrypted: false, pages: undefined }],
    ['that it is encrypted where pages are compressed', pdfFile({ encrypted: true, compressed: true }), { isEncrypted: true, pages: undefined }],
    ['nothing, when its end is missing', pdfFile({ pages: 7 }).slice(0, 100), { isEncrypted: false, pages: undefined }],
    ['no encryption because of words in its text', `${pdfFile({ pages: 2 })}% /Encrypt 9 0 R\n`, { isEncrypted: false, pages: 2 }],
    ['nothing, when there is no signature', 'xref', undefined],
  ])('%s', (_, file, expected) => {
    expect(read(file)).toEqual(expected);
  });

  it('terminates on arbitrary bytes and on circular cross-references', () => {
    const mutated = fc.tuple(
      fc.constantFrom(pdfFile({ pages: 3 }), pdfFile({ revisedPages: 2 }), pdfFile({ compressed: true })),
      fc.nat(),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    fc.assert(
      fc.property(mutated, ([file, place, put]) => {
        const at = place % file.length;
        read(file.slice(0, at) + Buffer.from(put).toString('latin1') + file.slice(at));
        read(file.slice(0, at) + file.slice(at + put.length));
      }),
    );
    const looped = pdfFile().replace('/Root', '/Prev 0000 /Root');
    const start = looped.indexOf('xref');
    expect(read(looped.replace('/Prev 0000', `/Prev ${String(start).padStart(4, '0')}`))).toMatchObject({ pages: 1 });
  });

  it('reads a bounded number of bytes of a large file', () => {
    const reads = (padding: number): number => {
      const { length, at } = bytesOf(pdfFile({ pages: 3, padding }));
      let count = 0;
      expect(readPdf({ length, at: (index) => ((count += 1), at(index)) })).toEqual({ isEncrypted: false, pages: 3 });
      return count;
    };
    expect(reads(3_000_000)).toBeLessThan(10_000);
  });
});
