import { open } from 'node:fs/promises';
import { SkillFault } from './front-matter.js';

/** Reads a text file. Throws SkillFault when it has more than `most` bytes or is not UTF-8. */
export async function readText(file: string, most: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    if (size > most) throw new SkillFault(`It has ${size} bytes; the limit is ${most}.`);
    // One byte more than allowed, to detect a file that grows meanwhile.
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(most + 1), 0, most + 1, 0);
    if (bytesRead > most) throw new SkillFault(`It has more than ${most} bytes, which is the limit.`);
    return textOf(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8.
  }
  throw new SkillFault('It is not a text file in UTF-8.');
}
