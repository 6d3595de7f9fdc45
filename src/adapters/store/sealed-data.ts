import type { DataKey } from '../../core/ports.js';
import type { ChainRow } from './hash-chain.js';

/** The data of a sealed event is stored as a JSON text, in base64; that of any other event is a JSON object. */

/** What the encryption is bound to: moved to another event, the data cannot be opened. */
export const eventContext = (sessionId: string, seq: number): string => `event ${sessionId.toLowerCase()} ${seq}`;

export function openedData(data: unknown, key: DataKey | undefined, sessionId: string, seq: number): unknown {
  if (typeof data !== 'string') return data;
  const content = key?.open(Buffer.from(data, 'base64'), eventContext(sessionId, seq));
  if (!content)
    throw new Error(`The encrypted data of event ${seq} of session ${sessionId} cannot be opened: the row was changed or damaged. Restore it from a backup.`);
  return JSON.parse(textOf(content));
}

export const isSealedRow = ({ data }: Pick<ChainRow, 'data'>): boolean => data.startsWith('"');

/** The row as if it had not been sealed; itself, when it was altered: its digest then does not match. */
export function openedChainRow<Row extends ChainRow>(row: Row, key: DataKey | undefined, sessionId: string): Row {
  if (!isSealedRow(row) || !key || row.salt === null) return row;
  const content = key.open(Buffer.from(row.data.slice(1, -1), 'base64'), eventContext(sessionId, Number(row.seq)));
  return content ? { ...row, data: textOf(content), salt: Buffer.from(key.saltFrom(Buffer.from(row.salt, 'hex'))).toString('hex') } : row;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
