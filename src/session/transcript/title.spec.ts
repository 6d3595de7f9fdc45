import { expect, it } from '@jest/globals';
import { titleIn } from './title.js';

it('takes the title out of an answer', () => {
  expect(titleIn('Whistling marmots')).toBe('Whistling marmots');
  expect(titleIn('  **“Whistling marmots.”**\nIt is about marmots.')).toBe('Whistling marmots');
  expect(titleIn('# Title with a nul \0 and half \ud83d a character')).toBe('Title with a nul  and half \ufffd a character');
  expect(titleIn('x'.repeat(1_000))).toHaveLength(100);
  for (const nothing of ['', ' \n ', '""', '...']) expect(titleIn(nothing)).toBeNull();
});
