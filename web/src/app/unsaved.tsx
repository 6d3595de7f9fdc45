import { useEffect, useState, useSyncExternalStore } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/parts.tsx';
import { guardLeaving, type Leave } from './router.tsx';

const unsaved = new Set<object>();
const listeners = new Set<() => void>();
let asked: Leave | null = null;

function ask(leave: Leave | null): void {
  asked = leave;
  listeners.forEach((listener) => listener());
}

function leaveAsAsked(): void {
  const leave = asked;
  unsaved.clear();
  ask(null);
  leave?.();
}

guardLeaving((leave) => {
  if (unsaved.size === 0) return false;
  ask(leave);
  return true;
});

/** While something is not saved, the view is left, and the tab closed, only when that is confirmed, or when the saving that was under way is done. */
export function useUnsaved(isUnsaved: boolean): void {
  const [form] = useState(() => ({}));
  useEffect(() => {
    if (!isUnsaved) return;
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    unsaved.add(form);
    window.addEventListener('beforeunload', onUnload);
    return () => {
      unsaved.delete(form);
      window.removeEventListener('beforeunload', onUnload);
      if (unsaved.size === 0 && asked !== null) leaveAsAsked();
    };
  }, [form, isUnsaved]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Asks whether to leave what is not saved. */
export function LeaveDialog() {
  const leave = useSyncExternalStore(subscribe, () => asked);
  if (leave === null) return null;
  return (
    <Dialog
      title="Leave without saving?"
      onClose={() => ask(null)}
      footer={
        <>
          <Button onClick={() => ask(null)}>Stay</Button>
          <Button look="danger" onClick={leaveAsAsked}>
            Discard the changes
          </Button>
        </>
      }
    >
      <p>What you have changed on this page is not saved.</p>
    </Dialog>
  );
}
