import type { Session } from '@verbatim/client';
import { useState } from 'react';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { MODES, SettingsDialog } from '../sessions/settings.tsx';

/** What the next prompt goes out with, beside where it is written; a click changes it. */
export function SettingsLine({ session }: { readonly session: Session }) {
  const [isOpen, setOpen] = useState(false);
  const { id, model, modelOptions, permissionMode, system, tools } = session;
  const parts = [
    visible(model),
    ...(modelOptions?.effort ? [`effort ${modelOptions.effort}`] : []),
    MODES[permissionMode],
    ...(tools.length > 0 ? [plural(tools.length, 'tool of the client', 'tools of the client')] : []),
    ...(system ? ['instructions of its own'] : []),
  ];
  return (
    <>
      <button type="button" className="settings-line" aria-label={`Settings of the conversation: ${parts.join(', ')}`} onClick={() => setOpen(true)}>
        {parts.map((part, index) => (
          <span key={index}>{part}</span>
        ))}
      </button>
      {isOpen && <SettingsDialog id={id} onClose={() => setOpen(false)} />}
    </>
  );
}
