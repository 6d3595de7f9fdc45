/** A file of a selection or a drop, with its path in the folder that was chosen. */
export interface Chosen {
  readonly file: File;
  readonly path: string;
}

/** The files of a selection. */
export const selectedFiles = (files: FileList | null): readonly Chosen[] =>
  [...(files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));

/** The files of a drop, also those in folders. The browser gives the entries only while the drop is handled. */
export async function droppedFiles(data: DataTransfer): Promise<readonly Chosen[]> {
  const below = [...data.items].map((item) => {
    const entry = item.webkitGetAsEntry();
    if (entry) return filesBelow(entry);
    const file = item.getAsFile();
    return file ? [{ file, path: file.name }] : [];
  });
  return (await Promise.all(below)).flat();
}

async function filesBelow(entry: FileSystemEntry): Promise<readonly Chosen[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, path: entry.fullPath.replace(/^\//, '') }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    // A reader gives a hundred at a time.
    const some = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(filesBelow))).flat();
}
