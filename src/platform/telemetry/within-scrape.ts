/** The other metrics must not wait for an unavailable database. */
const TIMEOUT_MS = 1_000;

/** What is read for a scrape; null when it cannot be read in time. */
export async function withinScrape<Reading>(reading: Promise<Reading>): Promise<Reading | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), TIMEOUT_MS)));
  return Promise.race([reading.catch(() => null), timeout]).finally(() => clearTimeout(timer));
}
