/** Why an operation failed; the model reads the message. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'leads through a file that is not a folder',
  EISDIR: 'is a folder',
  EEXIST: 'already exists',
  EACCES: 'cannot be opened: permission denied',
  EPERM: 'cannot be changed: permission denied',
  ELOOP: 'was replaced by a link during the operation',
  ENAMETOOLONG: 'has a name that is too long',
  ENXIO: 'is not a regular file',
  EROFS: 'is read-only',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is exhausted',
};

/** The error of a failed file system call, with the path that the caller named. Never contains a path of the server. */
export function faultOf(error: unknown, asked: string): FileError {
  if (error instanceof FileError) return error;
  const code = String((error as { readonly code?: unknown }).code ?? 'unknown');
  return new FileError(`${asked} ${MEANINGS[code] ?? `cannot be used (${code})`}.`);
}
