import { useEffect, useRef, useState } from 'react';

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;

/** Takes the files that are dropped on the page, at whatever place. Whether files are held over the page. */
export function useFileDrop(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onDrop);
  useEffect(() => void (latest.current = onDrop));
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const onDragOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'copy';
      setOver(true);
    };
    const onDragLeave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setOver(false);
    };
    const onDropped = (event: DragEvent): void => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      latest.current(event.dataTransfer!);
    };
    window.addEventListener('dragover', onDragOver, { signal });
    window.addEventListener('dragleave', onDragLeave, { signal });
    window.addEventListener('drop', onDropped, { signal });
    return () => ended.abort();
  }, []);
  return isOver;
}

/** The browser would leave the page for a file that is dropped where no screen takes it. A screen that does may have come before this or after it. */
export function useNoStrayDrops(): void {
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const onDragOver = (event: DragEvent): void => {
      if (event.defaultPrevented || !hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'none';
    };
    const onDropped = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    window.addEventListener('dragover', onDragOver, { signal });
    window.addEventListener('drop', onDropped, { signal });
    return () => ended.abort();
  }, []);
}
