import type { Settings } from './env.js';

/** Settings by their names before this version; the next one does not read them. */
export const RENAMED = {
  HANDOVER: 'TURN_DISPATCH',
  SEALING: 'ENCRYPTION',
  SEALING_KEYS: 'ENCRYPTION_KEYS',
  SEALING_KEY_FILE: 'ENCRYPTION_KEY_FILE',
  SEALING_KMS_KEY_ID: 'ENCRYPTION_KMS_KEY_ID',
  SEALING_KMS_TIMEOUT_MS: 'ENCRYPTION_KMS_TIMEOUT_MS',
  SEALING_KEY_CACHE: 'ENCRYPTION_KEY_CACHE',
} as const satisfies Readonly<Record<string, keyof Settings>>;

/** A line for each setting that is given under its earlier name. */
export function earlierNames(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(RENAMED).flatMap(([earlier, name]) =>
    environment[earlier] ? [`${earlier} is called ${name} now; the next version does not read the earlier name`] : [],
  );
}
