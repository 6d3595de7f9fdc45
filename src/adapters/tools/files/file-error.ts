/** Why a file tool cannot do what it was asked, in words for the model. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'leads through something that is no folder',
  EISDIR: 'is a folder',
  EEXIST: 'exists already',
  EACCES: 'may not be opened',
  EPERM: 'may not be changed',
  ELOOP: 'is a link that was put there a moment ago',
  ENAMETOOLONG: 'has too long a name',
  ENXIO: 'is no regular file',
  ENOSPC: 'does not fit: the disk is full',
  EDQUOT: 'does not fit: the disk quota is used up',
};

/** What a failed call of the file system says about the path that was asked for; never a path of the server's own. */
export function faultOf(error: unknown, asked: string): FileError {
  if (error instanceof FileError) return error;
  const code = String((error as { readonly code?: unknown }).code ?? 'unknown');
  return new FileError(`${asked} ${MEANINGS[code] ?? `cannot be used (${code})`}.`);
}
