import { readFile } from 'node:fs/promises';
import { type Settings, SettingsError } from '../config/env.js';
import type { KeyRing, Encryption } from '../../ports/index.js';
import { AesEncryption } from './aes-encryption.js';
import { KeyRings } from './key-rings.js';
import { KmsKeyRing } from './kms-key-ring.js';
import { LocalKeyRing, readKeys } from './local-key-ring.js';

export type EncryptionSettings = Pick<
  Settings,
  'ENCRYPTION' | 'ENCRYPTION_KEYS' | 'ENCRYPTION_KEY_FILE' | 'ENCRYPTION_KMS_KEY_ID' | 'ENCRYPTION_KMS_TIMEOUT_MS' | 'ENCRYPTION_KEY_CACHE'
>;

/** The key ring of the settings. New keys are wrapped with KMS, or else with the first key of the file, or else with the first key of the setting. */
export async function openKeyRing(settings: EncryptionSettings): Promise<KeyRing | null> {
  const { ENCRYPTION_KEYS, ENCRYPTION_KEY_FILE, ENCRYPTION_KMS_KEY_ID, ENCRYPTION_KMS_TIMEOUT_MS: timeoutMs } = settings;
  try {
    const inFile = ENCRYPTION_KEY_FILE === undefined ? [] : [...readKeys(await readFile(ENCRYPTION_KEY_FILE, 'utf8'), 'ENCRYPTION_KEY_FILE')];
    const inSetting = ENCRYPTION_KEYS === undefined ? [] : [...readKeys(ENCRYPTION_KEYS, 'ENCRYPTION_KEYS')];
    const names = [...inFile, ...inSetting].map(([name]) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`ENCRYPTION_KEYS: the key ${twice} is also in ENCRYPTION_KEY_FILE`);
    const rings = [
      ...(ENCRYPTION_KMS_KEY_ID === undefined ? [] : [await KmsKeyRing.open({ keyId: ENCRYPTION_KMS_KEY_ID, timeoutMs })]),
      ...(names.length === 0 ? [] : [new LocalKeyRing(new Map([...inFile, ...inSetting]))]),
    ];
    return rings.length === 0 ? null : new KeyRings(rings);
  } catch (error) {
    throw new SettingsError(`The settings are not usable:\n  ${(error as Error).message}`);
  }
}

export async function openEncryption(settings: EncryptionSettings): Promise<Encryption> {
  const ring = await openKeyRing(settings);
  if (!ring && settings.ENCRYPTION === 'on') {
    throw new SettingsError('The settings are not usable:\n  ENCRYPTION: needs ENCRYPTION_KEYS, ENCRYPTION_KEY_FILE or ENCRYPTION_KMS_KEY_ID');
  }
  return new AesEncryption(ring ?? new KeyRings([]), settings.ENCRYPTION === 'on', settings.ENCRYPTION_KEY_CACHE);
}
