import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { versionLines } from './file-lines.js';
import { FilesPlanner } from './planned-files.js';

const VERSION = '00000000-0000-4000-8000-000000000001';
const AT = '2026-01-01T00:00:00.000Z';

it('a change names at most as many files as a folder may have, over however many lines: lines beyond that are left out and named', () => {
  fc.assert(
    fc.property(fc.nat(3_500), fc.nat(3_500), fc.nat(3_500), (written, deleted, maxFiles) => {
      const planner = new FilesPlanner({ maxFiles });
      const file = (index: number) => ({ type: 'blob' as const, path: `f${index}`, mode: 0o644, sha256: '0'.repeat(64), size: 0 });
      const files = Array.from({ length: written }, (_, index) => file(index));
      const gone = Array.from({ length: deleted }, (_, index) => `d${index}`);
      const named = { version: VERSION, base: null, cause: 'step' as const, seq: 1, at: AT, files, deleted: gone, skipped: [] };
      const lines = [...versionLines(named)] as { files: unknown[]; deleted: unknown[] }[];
      const kept = lines.filter((line, index) => planner.add(index + 1, 1, line as never, 0, () => undefined) === null);
      const count = (member: 'deleted' | 'files'): number => kept.reduce((sum, line) => sum + line[member].length, 0);
      expect(Math.max(count('files'), count('deleted'))).toBeLessThanOrEqual(maxFiles);
      if (Math.max(written, deleted) <= maxFiles) expect(kept).toHaveLength(lines.length);
      expect(planner.finish()?.versions.flatMap((one) => one.lines) ?? []).toHaveLength(kept.length);
    }),
    runs(50),
  );
});
