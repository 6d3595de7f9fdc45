import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { isObject } from '../../../packages/protocol/message/unknown-json.js';

/** Type guards and readers for parsed JSON. */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** In lower case, as uuids are looked up; null when invalid. */
export const uuidIn = (value: unknown): string | null => (typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null);

export const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

export const timeIn = (value: unknown): string | null => (typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)) ? value : null);

const MODES: readonly unknown[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];

export const permissionModeIn = (value: unknown): PermissionMode | null => (MODES.includes(value) ? (value as PermissionMode) : null);

/** Text that a database column can store: well-formed and without U+0000. */
export const isLabel = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most && value.isWellFormed() && !value.includes('\0');

export const isTextRecord = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');
