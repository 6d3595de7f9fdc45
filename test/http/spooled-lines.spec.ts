import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FileLine } from '../../src/session/transfer/import-file.js';
import { JsonReader } from '../../src/http/body/json-reader.js';
import { SpooledLines } from '../../src/http/body/spooled-lines.js';

describe('the lines of a file on disk', () => {
  const file = path.join(tmpdir(), `lines-${randomUUID()}`);
  let handle: FileHandle;
  const reader = new JsonReader({ MAX_JSON_DEPTH: 200, MAX_JSON_VALUES: 50_000, MAX_JSON_TEXT_BYTES: 10_000_000 });

  beforeAll(async () => {
    handle = await open(file, 'wx+');
  });
  afterAll(async () => {
    await handle.close();
    await reader.onApplicationShutdown();
    await rm(file);
  });

  async function linesOf(bytes: Buffer, maxLineBytes = 1_000_000): Promise<{ readonly lines: readonly FileLine[]; readonly file: SpooledLines }> {
    await handle.truncate(0);
    await handle.write(bytes, 0, bytes.length, 0);
    const spooled = new SpooledLines(handle, { maxLineBytes, maxLines: 1_000, maxDepth: 20, maxValues: 10_000, maxTextBytes: 10_000_000 }, reader);
    const lines: FileLine[] = [];
    for await (const line of spooled.lines()) lines.push(line);
    return { lines, file: spooled };
  }

  it('cost next to nothing where they are blank', async () => {
    const used = process.cpuUsage();
    const { lines } = await linesOf(Buffer.concat([Buffer.alloc(24_000_000, '\n'), Buffer.from('1\n'), Buffer.alloc(6_000_000, ' \r\n')]));
    const { user, system } = process.cpuUsage(used);
    expect(lines).toEqual([{ line: 24_000_001, bytes: 1, value: 1 }]);
    expect((user + system) / 1_000).toBeLessThan(3_000); // of this process; an iteration for each line takes several times that
  });

  it('are values or reasons, whatever the bytes: each line once, by its number, and nothing throws', async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .constantFrom('\n', '\r\n', ' ', '\uFEFF', '// x', '{"a":"\u0001"}', '[[', '{"a":1e999}', '{"__proto__":1}', '"\\ud800"', '['.repeat(30))
        .map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const bytes = Buffer.concat(pieces);
        const { lines, file: spooled } = await linesOf(bytes, 40);
        const expected: number[] = [];
        let number = 0;
        for (let at = 0; at < bytes.length;) {
          const end = bytes.indexOf(10, at);
          const line = bytes.subarray(at, end === -1 ? bytes.length : end);
          at += line.length + 1;
          number += 1;
          if (!/^[ \t\r]*$/.test(line.toString('latin1'))) expected.push(number);
          const found = lines.find((read) => read.line === number);
          if (found && 'value' in found) {
            expect(found.value).toEqual(JSON.parse(line.toString()));
            expect(await spooled.read(number)).toEqual(found.value);
          } else if (found) expect(found.reason).toMatch(/^(is|begins|contains) [\w -]+/);
        }
        expect(lines.map(({ line }) => line)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('are whole where they lie across the pieces that are read at once, and can be read again in any order', async () => {
    const values = Array.from({ length: 40 }, (_, index) => ({ index, text: 'é🧵'.repeat(index * 997) }));
    const { lines, file: spooled } = await linesOf(Buffer.from(values.map((value) => JSON.stringify(value)).join('\r\n')));
    expect(lines.map((line) => 'value' in line && line.value)).toEqual(values);
    for (const index of [39, 0, 20, 21, 5]) expect(await spooled.read(index + 1)).toEqual(values[index]);
  });

  it('that are too long are passed over, and the next one is read', async () => {
    const { lines } = await linesOf(Buffer.from(`"${'x'.repeat(900_000)}"\n"next"\n"${'y'.repeat(2_000)}"`), 1_000);
    expect(lines).toEqual([
      { line: 1, reason: 'is longer than 1000 bytes' },
      { line: 2, bytes: 6, value: 'next' },
      { line: 3, reason: 'is longer than 1000 bytes' },
    ]);
  });

  it('of which only the display copy of a result is too large are read without it', async () => {
    const line = (copy: unknown): object => ({ type: 'user', message: { content: 'kept' }, toolUseResult: copy, uuid: 'u' });
    const long = [line({ stdout: 'x'.repeat(600_000) }), line(['y'.repeat(300)]), { other: 'z'.repeat(300), toolUseResult: 1 }, line(null)];
    const { lines, file: spooled } = await linesOf(Buffer.from(long.map((value) => JSON.stringify(value)).join('\n')), 200);
    expect(lines).toEqual([
      { line: 1, bytes: expect.any(Number), value: line(null), shortened: 'is longer than 200 bytes and was kept without toolUseResult' },
      { line: 2, bytes: expect.any(Number), value: line(null), shortened: expect.any(String) },
      { line: 3, reason: 'is longer than 200 bytes' },
      { line: 4, bytes: expect.any(Number), value: line(null) },
    ]);
    for (const number of [2, 1, 4]) expect(await spooled.read(number)).toEqual(line(null));
  });
});
