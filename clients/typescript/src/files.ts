import type { DocumentBlock, ImageBlock } from './api.js';

/** A file as a block of a prompt: an image, or a document (PDF or text). The server stores the bytes and replaces them by their hash. */
export async function fileBlock(file: Blob): Promise<ImageBlock | DocumentBlock> {
  const source = { type: 'base64', media_type: file.type, data: base64Of(new Uint8Array(await file.arrayBuffer())) } as const;
  if (file.type.startsWith('image/')) return { type: 'image', source };
  if (file.type.startsWith('text/')) return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: await file.text() } };
  return { type: 'document', source };
}

/** `btoa` takes characters; a function takes a limited number of arguments. */
function base64Of(bytes: Uint8Array): string {
  const PIECE = 8_192;
  let characters = '';
  for (let start = 0; start < bytes.length; start += PIECE) characters += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  return btoa(characters);
}
