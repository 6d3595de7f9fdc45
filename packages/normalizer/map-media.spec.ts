import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pdfFile } from '../../test/support/api-rules/pdf-file.js';
import { pdf, png } from '../../test/support/api-rules/row.js';
import { assistant, call, contextOf, conversation, type Entry, image, result, text, user } from '../../test/support/normalize/build.js';
import { checkRequest } from './api-rules/index.js';
import { normalize } from './normalize.js';
import type { PayloadMessage } from './payload.js';
import { MEDIA_OVER_LIMIT, mediaLeftOut } from './placeholders.js';
import { profileFor, type Profile } from './models/profiles.js';
import { runs } from '../../test/support/property-runs.js';

/** A picture of so many pixels a side whose base64 text is at least so long. */
const picture = (side: number, bytes = 0): object => image(png(side, 1).padEnd(Math.ceil(bytes / 4) * 4, 'A'));
const pages = (count: number): object => pdf(pdfFile({ pages: count }));

const sent = (entries: readonly Entry[], profile: Profile): readonly PayloadMessage[] =>
  normalize(conversation(...entries), contextOf({ profile }), false).messages;
const problems = (messages: readonly PayloadMessage[], profile: Profile) =>
  checkRequest({ model: 'any', max_tokens: 1, messages }, profile).map(({ rule }) => rule);
const turns = (files: readonly object[]): readonly Entry[] =>
  files.flatMap((file, index) => [user([file, text(`${index}`)]), assistant(`m${index}`, [text('seen')])]).slice(0, -1);

const LEFT_OUT = mediaLeftOut('').slice(0, -1);

/** One letter a file: `+` sent, `o` over a limit, `x` unusable. */
const fate = (messages: readonly PayloadMessage[]): string =>
  messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'tool_result' && typeof block.content === 'object' ? block.content : [block]))
    .map((block) =>
      block.type === 'text'
        ? block.text === MEDIA_OVER_LIMIT
          ? 'o'
          : block.text.startsWith(LEFT_OUT)
            ? 'x'
            : ''
        : block.type === 'image' || block.type === 'document'
          ? '+'
          : '',
    )
    .join('');

const many = (count: number, file: object): readonly object[] => Array.from({ length: count }, () => file);
const MIB = 1024 * 1024;

describe('files, held to the limits of each model and provider', () => {
  it.each<[string, string, readonly object[], string]>([
    ['one picture of 10 MB, not more', 'claude-opus-5-5', [picture(9, 10 * MIB), picture(9, 10 * MIB + 4)], '+x'],
    ['5 MB at a partner', 'claude-opus-5-5@default', [picture(9, 5 * MIB), picture(9, 5 * MIB + 4)], '+x'],
    ['8000 pixels a side', 'claude-opus-5-5', [picture(8_000), picture(8_001)], '+x'],
    ['20 pictures of any size', 'claude-opus-5-5', [picture(2_001), ...many(19, picture(9))], '+'.repeat(20)],
    ['among 21, none over 2000 pixels', 'claude-opus-5-5', [picture(2_001), picture(2_000), ...many(19, picture(9))], `o${'+'.repeat(20)}`],
    ['documents are no pictures', 'claude-opus-5-5', [picture(2_001), ...many(20, pages(1))], '+'.repeat(21)],
    ['documents count as pictures at a partner', 'anthropic.claude-opus-5', [picture(2_001), ...many(20, pages(1))], `o${'+'.repeat(20)}`],
    ['100 files in a window of 200,000', 'claude-haiku-4-5', many(101, picture(9)), `${'o'.repeat(25)}${'+'.repeat(76)}`],
    ['600 in a larger one', 'claude-opus-5-5', many(601, picture(9)), `${'o'.repeat(150)}${'+'.repeat(451)}`],
    ['100 pages in a window of 200,000', 'claude-haiku-4-5', [pages(101), pages(60), pages(20), pages(20), pages(1)], 'xo+++'],
    ['600 pages in a larger one', 'claude-opus-5-5', [pages(601), pages(400), pages(200)], 'x++'],
    ['28 MB of 32 for files', 'claude-opus-5-5', many(4, picture(9, 9 * MIB)), 'oo++'],
    ['16 MB of 20', 'anthropic.claude-opus-5', many(4, picture(9, 4.5 * MIB)), 'o+++'],
    ['26 MB of 30', 'claude-opus-5-5@default', many(6, picture(9, 4.9 * MIB)), 'oo++++'],
  ])('%s', (_, model, files, expected) => {
    const profile = profileFor(model);
    const messages = sent(turns(files), profile);
    expect(fate(messages)).toBe(expected);
    expect(problems(messages, profile)).toEqual([]);
  });
});

describe('a conversation that grows file by file', () => {
  const profiles = fc
    .tuple(
      fc.constantFrom('claude-opus-5-5', 'claude-haiku-4-5', 'anthropic.claude-opus-5', 'claude-opus-5-5@default'),
      fc.integer({ min: 4, max: 16 }),
      fc.integer({ min: 2, max: 6 }),
    )
    .map(([model, maxCount, manyImageThreshold]): Profile => {
      const profile = profileFor(model);
      return {
        ...profile,
        maxBodyBytes: 24_000,
        contextWindow: 3_000,
        maxPdfPages: 40,
        image: { ...profile.image, maxCount, manyImageThreshold, manyImagePixels: 20 },
      };
    });
  const aFile = fc.oneof(
    fc.tuple(fc.constantFrom(10, 21), fc.integer({ max: 3_000, min: 0 })).map(([side, bytes]) => ({ file: picture(side, bytes), large: side > 20, pages: 0 })),
    fc.integer({ min: 1, max: 45 }).map((count) => ({ file: pages(count), large: false, pages: count })),
  );
  const grown = fc.array(fc.tuple(aFile, fc.boolean()), { minLength: 1, maxLength: 24 });

  it('is always accepted, and rewritten only where a limit takes its next step', () => {
    fc.assert(
      fc.property(grown, profiles, (files, profile) => {
        const { maxCount, manyImageThreshold, manyImageCountsDocuments } = profile.image;
        const entries: Entry[] = [];
        let before: { readonly written: readonly string[]; readonly steps: string } | undefined;
        const seen: { readonly file: object; readonly large: boolean; readonly pages: number }[] = [];
        for (const [index, [one, inResult]] of files.entries()) {
          if (inResult) entries.push(user('look'), assistant(`c${index}`, [call(`t${index}`)]), user([result(`t${index}`, [one.file])]));
          else entries.push(user([one.file, text('what is it?')]));
          if (one.pages <= profile.maxPdfPages) seen.push(one);
          const messages = sent(entries, profile);
          expect(problems(messages, profile)).toEqual([]);

          const written = messages.map((message) => JSON.stringify(message));
          const isCrowd = seen.filter(({ pages: count }) => count === 0 || manyImageCountsDocuments).length > manyImageThreshold;
          const bytes = seen.filter(({ large }) => !(large && isCrowd)).map(({ file }) => (file as { source: { data: string } }).source.data.length);
          const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
          const step = (total: number, limit: number): number => Math.max(0, Math.ceil((total - limit) / Math.ceil(limit / 4)));
          const steps = JSON.stringify([
            isCrowd,
            step(seen.length, maxCount),
            step(sum(bytes), 12_000),
            step(sum(seen.map((file) => file.pages)), profile.maxPdfPages),
          ]);
          if (before?.steps === steps) expect(written.slice(0, before.written.length)).toEqual(before.written);
          before = { written, steps };
          entries.push(assistant(`m${index}`, [text('seen')]));
        }
      }),
      runs(100),
    );
  });
});
