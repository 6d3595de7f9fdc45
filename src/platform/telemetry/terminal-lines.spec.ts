import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PinoLogger } from './pino-logger.js';
import { terminalLines } from './terminal-lines.js';

function written(act: (logger: PinoLogger) => void): string {
  let text = '';
  act(new PinoLogger('trace', terminalLines({ write: (line: string | Uint8Array) => ((text += String(line)), true) })));
  return text;
}

describe('the log at a terminal', () => {
  it('has time, level, context and text, then the other members', () => {
    expect(written((logger) => logger.warn({ msg: 'A token was rejected.', reason: 'it is unknown', tries: 3 }, 'Access'))).toMatch(
      /^\d\d:\d\d:\d\d warn {2}\[Access\] A token was rejected\. reason=it is unknown tries=3\n$/,
    );
  });

  it('shows the stack of an error below its line', () => {
    const error = new Error('broken');
    expect(
      written((logger) => logger.error(error))
        .split('\n')
        .slice(0, 3),
    ).toEqual([expect.stringMatching(/ error broken$/), '  Error: broken', expect.stringMatching(/^ {2} {4}at /)]);
  });

  it('is one line whatever a message contains, and no line moves the cursor or is JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, value) => {
        const lines = written((logger) => logger.log({ msg: text, value })).split('\n');
        expect(lines).toHaveLength(2);
        expect(lines[0]).not.toMatch(/\p{Cc}|^\{/u);
      }),
    );
  });
});
