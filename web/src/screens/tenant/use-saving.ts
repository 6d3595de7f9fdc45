import { type AnswerOf, ProblemError, type RequestOf } from '@verbatim/client';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { useUnsaved } from '../../app/unsaved.tsx';
import { type Faults, faultsIn, NO_FAULTS } from './faults.tsx';

type Body = NonNullable<RequestOf<'updateSettings'>['body']>;
export type StoredSettings = AnswerOf<'getSettings'>;

export interface Saving {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly isBusy: boolean;
  readonly isSaved: boolean;
  /** Something was changed that is not saved. */
  readonly isTouched: boolean;
  readonly error: unknown;
  readonly faults: Faults;
  /** Something has changed since. */
  readonly touch: () => void;
  /** Faults that are found before the server is asked. */
  readonly reject: (faults: Faults) => void;
  /** `body`: what is sent, or what makes it of what is stored now. */
  readonly save: (body: Body | ((stored: StoredSettings) => Body), fields?: ReadonlyMap<string, string>) => Promise<boolean>;
  /** The sections that someone has changed since the form was filled, which kept it from being saved; null: none. */
  readonly outdated: readonly string[] | null;
  /** Fills the form again with what is stored. */
  readonly refill: () => Promise<void>;
  /** The element with this id has the focus as soon as it is there. */
  readonly focusNext: (id: string) => void;
}

const NO_FIELDS: ReadonlyMap<string, string> = new Map();

interface Saved {
  readonly onSaved?: (stored: AnswerOf<'updateSettings'>) => void;
  /** The version of the settings that the form was filled with: it is not saved over what was changed since. Absent: it changes what is stored at the time. */
  readonly version?: number;
  readonly fill?: (stored: StoredSettings) => void;
}

/** Saves settings of the tenant from a form with rows. `onSaved` gets what is stored then, with secrets hidden but for one that was made for it. The focus goes to the first field that the server does not accept. */
export function useSaving({ onSaved, version, fill }: Saved): Saving {
  const client = useClient();
  const action = useAction();
  const form = useRef<HTMLFormElement>(null);
  const next = useRef<string | null>(null);
  const [faults, setFaults] = useState<Faults>(NO_FAULTS);
  const [isSaved, setSaved] = useState(false);
  const [isTouched, setTouched] = useState(false);
  useUnsaved(isTouched);
  const [outdated, setOutdated] = useState<readonly string[] | null>(null);
  const known = useRef(version);
  const changes = useRef(0);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [faults]);
  useEffect(() => {
    if (next.current !== null) document.getElementById(next.current)?.focus();
    next.current = null;
  });
  const touch = useCallback(() => {
    changes.current += 1;
    setSaved(false);
    setTouched(true);
  }, []);
  const save: Saving['save'] = async (body, fields = NO_FIELDS) => {
    setFaults(NO_FAULTS);
    setOutdated(null);
    const before = changes.current;
    let stored: AnswerOf<'updateSettings'> | null = null;
    const isDone = await action.run(async () => {
      const now = typeof body === 'function' ? await client.getSettings() : null;
      const sent = typeof body === 'function' ? body(now!) : body;
      const ifVersion = known.current ?? now?.version;
      try {
        stored = await client.updateSettings({ body: sent }, ifVersion === undefined ? {} : { ifVersion });
        if (known.current !== undefined) known.current = stored.version;
      } catch (error) {
        if (error instanceof ProblemError && error.code === 'version_conflict') setOutdated(Object.keys(sent));
        setFaults(faultsIn(error, fields));
        throw error;
      }
    });
    if (isDone && changes.current === before) setTouched(false);
    setSaved(isDone && changes.current === before); // what was changed while it was under way is not saved
    if (stored !== null) onSaved?.(stored);
    return isDone;
  };
  const refill = async (): Promise<void> => {
    const isRead = await action.run(async () => {
      const stored = await client.getSettings();
      known.current = stored.version;
      fill?.(stored);
    });
    if (!isRead) return;
    setOutdated(null);
    setFaults(NO_FAULTS);
    setSaved(false);
    setTouched(false);
  };
  const focusNext = (id: string): void => void (next.current = id);
  return { form, isBusy: action.isBusy, isSaved, isTouched, error: action.error, faults, touch, reject: setFaults, save, outdated, refill, focusNext };
}
