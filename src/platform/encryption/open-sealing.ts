import { readFile } from 'node:fs/promises';
import { type Settings, SettingsError } from '../config/env.js';
import type { KeyRing, Sealing } from '../../ports/index.js';
import { AesSealing } from './aes-sealing.js';
import { KeyRings } from './key-rings.js';
import { KmsKeyRing } from './kms-key-ring.js';
import { LocalKeyRing, readKeys } from './local-key-ring.js';

export type SealingSettings = Pick<
  Settings,
  'SEALING' | 'SEALING_KEYS' | 'SEALING_KEY_FILE' | 'SEALING_KMS_KEY_ID' | 'SEALING_KMS_TIMEOUT_MS' | 'SEALING_KEY_CACHE'
>;

/** The key ring of the settings. New keys are wrapped with KMS, or else with the first key of the file, or else with the first key of the setting. */
export async function openKeyRing(settings: SealingSettings): Promise<KeyRing | null> {
  const { SEALING_KEYS, SEALING_KEY_FILE, SEALING_KMS_KEY_ID, SEALING_KMS_TIMEOUT_MS: timeoutMs } = settings;
  try {
    const inFile = SEALING_KEY_FILE === undefined ? [] : [...readKeys(await readFile(SEALING_KEY_FILE, 'utf8'), 'SEALING_KEY_FILE')];
    const inSetting = SEALING_KEYS === undefined ? [] : [...readKeys(SEALING_KEYS, 'SEALING_KEYS')];
    const names = [...inFile, ...inSetting].map(([name]) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`SEALING_KEYS: the key ${twice} is also in SEALING_KEY_FILE`);
    const rings = [
      ...(SEALING_KMS_KEY_ID === undefined ? [] : [await KmsKeyRing.open({ keyId: SEALING_KMS_KEY_ID, timeoutMs })]),
      ...(names.length === 0 ? [] : [new LocalKeyRing(new Map([...inFile, ...inSetting]))]),
    ];
    return rings.length === 0 ? null : new KeyRings(rings);
  } catch (error) {
    throw new SettingsError(`The settings are not usable:\n  ${(error as Error).message}`);
  }
}

export async function openSealing(settings: SealingSettings): Promise<Sealing> {
  const ring = await openKeyRing(settings);
  if (!ring && settings.SEALING === 'on') {
    throw new SettingsError('The settings are not usable:\n  SEALING: needs SEALING_KEYS, SEALING_KEY_FILE or SEALING_KMS_KEY_ID');
  }
  return new AesSealing(ring ?? new KeyRings([]), settings.SEALING === 'on', settings.SEALING_KEY_CACHE);
}
