import { describe, it } from '@jest/globals';

/**
 * A suite that needs Redis: runs when TEST_REDIS_URL names one (its contents are left alone, but connections are
 * killed). Without it, the suite is skipped, and says so.
 */
export function describeWithRedis(name: string, suite: (url: string) => void): void {
  const url = process.env['TEST_REDIS_URL'];
  if (url) return void describe(name, () => suite(url));
  process.stderr.write(`SKIPPED: ${name}: set TEST_REDIS_URL to a Redis to run it\n`);
  describe(name, () => it.skip('needs TEST_REDIS_URL', () => undefined));
}
