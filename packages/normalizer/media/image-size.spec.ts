import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fittingSize, scaled } from './image-size.js';

const BOXES = [
  { pixelsPerSide: 1_568, patches: 1_568 },
  { pixelsPerSide: 2_000, patches: 4_784 },
] as const;

it.each([
  [1_920, 1_080, 1_456, 819],
  [1_092, 1_092, 1_092, 1_092],
  [200, 100, 200, 100],
  [1, 1, 1, 1],
  [20_000, 1, 1_568, 1],
  [4_000, 3_000, 1_269, 952],
])('downscales %dx%d to %dx%d', (width, height, fittedWidth, fittedHeight) => {
  expect(fittingSize({ width, height }, BOXES[0])).toEqual({ width: fittedWidth, height: fittedHeight });
});

it('gives the largest size with the same aspect ratio within the limits', () => {
  const side = fc.integer({ min: 1, max: 30_000 });
  fc.assert(
    fc.property(side, side, fc.constantFrom(...BOXES), (width, height, box) => {
      const fits = (size: { readonly width: number; readonly height: number }): boolean =>
        Math.max(size.width, size.height) <= box.pixelsPerSide && Math.ceil(size.width / 28) * Math.ceil(size.height / 28) <= box.patches;
      const size = fittingSize({ width, height }, box);
      expect(fits(size)).toBe(true);
      expect(size.width <= width && size.height <= height).toBe(true);
      const scale = Math.max(size.width, size.height) / Math.max(width, height);
      expect(size).toEqual(scaled({ width, height }, scale));
      if (scale < 1) expect(fits(scaled({ width, height }, (Math.max(size.width, size.height) + 1) / Math.max(width, height)))).toBe(false);
    }),
  );
});
