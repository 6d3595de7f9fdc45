import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { SETTINGS } from '../../../test/support/planned-import.js';
import { emptyState } from '../state/state.js';
import { appendLines } from './lines.js';

const MIB = 1024 * 1024;

it('appends long lines in events of a limited size, which say together what was given', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(300_000), fc.nat(3 * MIB)), { maxLength: 30 }), (lengths) => {
      const lines = lengths.map((length) => 'x'.repeat(length));
      const data = { lines, uuids: lengths.map((_, n) => String(n)), batch: 'b', messages: [], head: null, summary: { s: 1 } };
      const events = appendLines({ type: 'AppendLines', lines: data, messages: [], settings: SETTINGS }, emptyState());
      const parts = events.map((event) => (event.type === 'lines.appended' ? event.data : null!));
      expect(parts.flatMap((part) => part.lines.map(({ length }) => length))).toEqual(lengths);
      expect(parts.flatMap(({ uuids }) => uuids)).toEqual(data.uuids);
      expect(parts.filter(({ batch, summary }) => batch !== null || summary !== null)).toEqual(parts.slice(-1));
      for (const part of parts) expect(part.lines.length <= 1 || part.lines.join('').length <= MIB).toBe(true);
    }),
    runs(50),
  );
});
