import type { AnswerOf, RequestOf } from '@verbatim/client';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { type Faults, faultsIn, NO_FAULTS } from './faults.tsx';

type Body = RequestOf<'updateSettings'>['body'];

export interface Saving {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly isBusy: boolean;
  readonly isSaved: boolean;
  readonly error: unknown;
  readonly faults: Faults;
  /** Something has changed since. */
  readonly touch: () => void;
  /** Faults that are found before the server is asked. */
  readonly reject: (faults: Faults) => void;
  /** `body`: what is sent, or what makes it of what is stored now. */
  readonly save: (body: Body | (() => Promise<Body>), fields?: ReadonlyMap<string, string>) => Promise<boolean>;
  /** The element with this id has the focus as soon as it is there. */
  readonly focusNext: (id: string) => void;
}

const NO_FIELDS: ReadonlyMap<string, string> = new Map();

/** Saves settings of the tenant from a form with rows. `onSaved` gets what is stored then, with secrets hidden but for one that was made for it. The focus goes to the first field that the server does not accept. */
export function useSaving(onSaved: (stored: AnswerOf<'updateSettings'>) => void): Saving {
  const client = useClient();
  const action = useAction();
  const form = useRef<HTMLFormElement>(null);
  const next = useRef<string | null>(null);
  const [faults, setFaults] = useState<Faults>(NO_FAULTS);
  const [isSaved, setSaved] = useState(false);
  const changes = useRef(0);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [faults]);
  useEffect(() => {
    if (next.current !== null) document.getElementById(next.current)?.focus();
    next.current = null;
  });
  const touch = useCallback(() => {
    changes.current += 1;
    setSaved(false);
  }, []);
  const save: Saving['save'] = async (body, fields = NO_FIELDS) => {
    setFaults(NO_FAULTS);
    const before = changes.current;
    let stored: AnswerOf<'updateSettings'> | null = null;
    const isDone = await action.run(async () => {
      try {
        stored = await client.updateSettings({ body: typeof body === 'function' ? await body() : body });
      } catch (error) {
        setFaults(faultsIn(error, fields));
        throw error;
      }
    });
    setSaved(isDone && changes.current === before); // what was changed while it was under way is not saved
    if (stored !== null) onSaved(stored);
    return isDone;
  };
  const focusNext = (id: string): void => void (next.current = id);
  return { form, isBusy: action.isBusy, isSaved, error: action.error, faults, touch, reject: setFaults, save, focusNext };
}
