import type { AnswerOf } from '@verbatim/client';
import { createContext, useContext } from 'react';
import { usePeople } from '../../app/people.ts';
import { Time } from '../../ui/parts.tsx';

type Change = AnswerOf<'listSettingsChanges'>['data'][number];

/** The changes of the settings, newest first; empty where they are not read. */
export const ChangesContext = createContext<readonly Change[]>([]);

/** Who has changed one of these sections last, and when. */
export function LastChange({ sections }: { readonly sections: readonly string[] }) {
  const changes = useContext(ChangesContext);
  const nameOf = usePeople();
  const last = changes.find((change) => change.sections.some((section) => sections.includes(section)));
  if (!last) return null;
  return (
    <span className="aside">
      changed by {last.changedBy === null ? 'the server' : nameOf(last.changedBy)}, <Time value={last.changedAt} />
    </span>
  );
}
