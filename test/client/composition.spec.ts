import { describe, expect, it } from '@jest/globals';
import { compositionOf, type Piece, type Resubmission, submissionOf, withoutPiece, withPaste } from '@verbatim/client';
import fc from 'fast-check';

const reference = fc.tuple(fc.constantFrom('Pasted text', 'Image'), fc.integer({ min: 1, max: 4 })).map(([kind, number]) => `[${kind} #${number}]`);
const words = fc.array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), reference, fc.constantFrom('\n', '\n\n', '!ls', '/commit', ' ')), {
  maxLength: 5,
});
const text = words.map((parts) => parts.join(''));
const source = fc.stringMatching(/^[0-9a-f]{8}$/).map((sha256) => ({ type: 'blob' as const, sha256 }));
const block = fc.oneof(
  text.map((value) => ({ type: 'text' as const, text: value })),
  text.map((value) => ({ type: 'text' as const, text: value, citations: null })),
  source.map((value) => ({ type: 'image' as const, source: value })),
  source.map((value) => ({ type: 'document' as const, source: value, title: 'A title' })),
);
const paste = fc.oneof(
  text.map((content) => ({ type: 'text' as const, content })),
  source.map((value) => ({ type: 'image' as const, source: value, filename: 'one.png' })),
);
const submission = fc
  .record(
    {
      input: fc.oneof(text, fc.array(block, { maxLength: 4 })),
      mode: fc.constantFrom('prompt' as const, 'bash' as const),
      pastedContents: fc.dictionary(fc.integer({ min: 1, max: 4 }).map(String), paste),
      attachments: fc.array(fc.record({ type: fc.constantFrom('memory', 'own_kind'), content: fc.string() }), { maxLength: 2 }),
      skipSlashCommands: fc.boolean(),
      bridgeOrigin: fc.boolean(),
      isMeta: fc.boolean(),
      origin: fc.jsonValue(),
      timeZone: fc.constant('Europe/Berlin'),
      modelOptions: fc.constant({ effort: 'low' }),
      // Of a later server.
      later: fc.jsonValue(),
    },
    { requiredKeys: ['input'] },
  )
  .map((value) => value as unknown as Resubmission);

/** What a browser keeps of a draft. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const pastesOf = ({ pastedContents = {} }: Resubmission) => Object.keys(pastedContents);
const textIn = ({ input }: Resubmission): string =>
  typeof input === 'string' ? input : input.flatMap((one) => (one.type === 'text' ? [(one as { text: string }).text] : [])).join('\n\n');

describe('a prompt that is edited', () => {
  it('is the same prompt when it is sent unchanged, also after it was kept', () => {
    fc.assert(
      fc.property(submission, (given) => {
        expect(submissionOf(compositionOf(given))).toEqual(given);
        expect(submissionOf(stored(compositionOf(stored(given))))).toEqual(stored(given));
      }),
    );
  });

  it('differs in its text only when the text is changed, and what the text referred to is still sent', () => {
    fc.assert(
      fc.property(submission, text, (given, other) => {
        const before = compositionOf(given);
        const sent = submissionOf({ ...before, text: other });
        const { input: _, ...rest } = given;
        expect(sent).toMatchObject(rest);
        const again = compositionOf(sent);
        expect(again.text.startsWith(other)).toBe(true);
        const beside = (pieces: readonly Piece[]) =>
          pieces.map((piece) => (piece.type === 'file' ? piece.block : piece.type === 'paste' ? piece.paste : piece.attachment));
        expect(beside(again.pieces)).toEqual(beside(before.pieces));
        for (const [index, piece] of before.pieces.entries()) {
          const then = again.pieces[index];
          if (piece.type === 'paste' && piece.isNamed) expect(then?.type === 'paste' && then.isNamed).toBe(true);
        }
      }),
    );
  });

  it('has no piece any more that was removed, nor a reference to it, and all others', () => {
    fc.assert(
      fc.property(submission, fc.nat(), (given, pick) => {
        const before = compositionOf(given);
        if (before.pieces.length === 0) return;
        const removed = before.pieces[pick % before.pieces.length]!;
        const left = withoutPiece(before, removed);
        expect(left.pieces).toEqual(before.pieces.filter((piece) => piece !== removed));
        const after = compositionOf(submissionOf(left));
        expect(after.pieces).toHaveLength(before.pieces.length - 1);
        if (removed.type === 'paste') {
          expect(pastesOf(submissionOf(left))).not.toContain(String(removed.number));
          expect(after.text).not.toContain(`[${removed.paste.type === 'text' ? 'Pasted text' : 'Image'} #${removed.number}]`);
        }
      }),
    );
  });

  it('refers to a paste that is added, under its own number', () => {
    fc.assert(
      fc.property(submission, (given) => {
        const sent = submissionOf(withPaste(compositionOf(given), { type: 'text', content: 'long' }));
        const number = pastesOf(sent).find((one) => !pastesOf(given).includes(one));
        expect(sent.pastedContents?.[number!]).toEqual({ type: 'text', content: 'long' });
        expect(textIn(sent)).toContain(`[Pasted text #${number}]`);
      }),
    );
  });
});
