import { count, flag, milliseconds, textList } from './kinds.js';

/** What the log records of the folders of sessions. */
export const WORKSPACE_SETTINGS = {
  WORKSPACE_HISTORY: flag(false),
  WORKSPACE_FILE_BYTES: count(10 * 1024 * 1024, 256 * 1024 * 1024),
  WORKSPACE_BYTES: count(200 * 1024 * 1024, 16 * 1024 * 1024 * 1024),
  WORKSPACE_FILES: count(20_000, 1_000_000),
  WORKSPACE_IGNORE: textList('node_modules,__pycache__,.venv,.cache'),
  WORKSPACE_DIFF_BYTES: count(1024 * 1024, 64 * 1024 * 1024),
  WORKSPACE_TIMEOUT_MS: milliseconds(60_000),
};
