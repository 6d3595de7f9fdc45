import { readSettings, type Settings } from '../../platform/config/env.js';

/** Settings that limit the items of lists and records in bodies. */
export type LengthSetting =
  | 'MAX_CONTENT_BLOCKS'
  | 'MAX_PASTES_PER_PROMPT'
  | 'MAX_ATTACHMENTS_PER_PROMPT'
  | 'MAX_TOOL_RESULTS'
  | 'MAX_CLIENT_TOOLS'
  | 'MAX_PERMISSION_RULES'
  | 'MAX_CONTEXT_TEXTS'
  | 'MAX_SETTINGS_ENTRIES'
  | 'MAX_NORMALIZE_MESSAGES'
  | 'MAX_UI_MESSAGES';

export type Lengths = Pick<Settings, LengthSetting>;

export const DEFAULT_LENGTHS: Lengths = readSettings({});

let current = DEFAULT_LENGTHS;

/** The limit in force: schemas are constants, so it is not one of their parameters. */
export const lengthLimit = (limit: LengthSetting | number): number => (typeof limit === 'number' ? limit : current[limit]);

/** Calls `validate` with these limits in force. It validates synchronously, before it returns. */
export function withLengths<Result>(lengths: Lengths, validate: () => Result): Result {
  const before = current;
  current = lengths;
  try {
    return validate();
  } finally {
    current = before;
  }
}
