import { describe, it } from '@jest/globals';

/**
 * A suite that needs Redis: runs when TEST_REDIS_URL names one (its data is left alone, but connections are killed).
 * Without it, the suite is skipped, and says so.
 */
export function describeWithRedis(name: string, suite: (url: string) => void): void {
  const url = process.env['TEST_REDIS_URL'];
  // oxlint-disable-next-line jest/valid-title
  describe(name, () => {
    if (url) return suite(url);
    process.stderr.write(`SKIPPED: ${name}: set TEST_REDIS_URL to a Redis to run it\n`);
    // oxlint-disable-next-line jest/no-disabled-tests
    it.skip('needs TEST_REDIS_URL', () => undefined);
  });
}
