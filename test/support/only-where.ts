import { describe, it } from '@jest/globals';

/** `it` where `holds`; elsewhere the tests are skipped, and standard error says what they need. */
export function itWhere(holds: boolean, needs: string): typeof it | typeof it.skip {
  announce(holds, needs);
  return holds ? it : it.skip;
}

/** `describe` where `holds`; elsewhere the tests are skipped, and standard error says what they need. */
export function describeWhere(holds: boolean, needs: string): typeof describe | typeof describe.skip {
  announce(holds, needs);
  return holds ? describe : describe.skip;
}

function announce(holds: boolean, needs: string): void {
  if (!holds) process.stderr.write(`SKIPPED: ${needs}\n`);
}
