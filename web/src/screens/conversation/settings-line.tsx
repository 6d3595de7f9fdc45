import type { Session } from '@verbatim/client';
import { useAccount } from '../../app/account.tsx';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { MODES } from '../sessions/settings.tsx';

/** What the next prompt goes out with, where it is written; a click opens what changes it. */
export function SettingsLine({ session, onOpen }: { readonly session: Session; readonly onOpen: () => void }) {
  const { model, modelOptions, permissionMode, system, tools } = session;
  const { offline } = useAccount().me;
  const parts = [
    ...(offline ? ['the offline model answers'] : []),
    visible(model),
    ...(modelOptions?.effort ? [`effort ${modelOptions.effort}`] : []),
    MODES[permissionMode],
    ...(tools.length > 0 ? [plural(tools.length, 'tool of the client', 'tools of the client')] : []),
    ...(system ? ['instructions of its own'] : []),
  ];
  return (
    <button type="button" className="settings-line" aria-label={`Settings of the conversation: ${parts.join(', ')}`} onClick={onOpen}>
      {parts.map((part, index) => (
        <span key={index}>{part}</span>
      ))}
    </button>
  );
}
