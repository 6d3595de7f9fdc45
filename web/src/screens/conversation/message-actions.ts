import type { TranscriptMessage } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { navigate } from '../../app/router.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { useTranscript } from './context.tsx';

/** The path of the request that an answer came from; null: there is none. */
export const requestOf = (id: string, message: TranscriptMessage): string | null =>
  message.type === 'assistant' && message.requestId !== undefined ? `/sessions/${id}/requests/${message.requestId}` : null;

/** What a person may do with a message, as icons in its row and in its menu. */
export function useMessageActions(message: TranscriptMessage): readonly MenuItem[] {
  const { id, conversation, lastPrompt, canWrite, ratings, onEdit, onRewind, onRate, act } = useTranscript();
  const client = useClient();
  if (!canWrite) return [];
  const isPrompt = message.type === 'user' && message.by?.kind === 'user';
  const fork = (): void => act(async () => navigate(`/sessions/${(await client.forkSession({ id, body: { at: message.uuid } })).id}`));
  const isRatable = requestOf(id, message) !== null && !ratings.has(message.uuid);
  return [
    ...(isPrompt ? [{ icon: 'edit' as const, label: 'Edit', run: () => onEdit(message) }] : []),
    ...(isPrompt && conversation && message.uuid === lastPrompt
      ? [{ icon: 'again' as const, label: 'Regenerate', run: () => act(() => conversation.regenerate()) }]
      : []),
    ...(isPrompt ? [{ icon: 'rewind' as const, label: 'Rewind to here', run: () => onRewind(message) }] : []),
    { icon: 'fork', label: 'Fork here', run: fork },
    ...(isRatable
      ? [
          { icon: 'up' as const, label: 'Good answer', run: () => onRate(message, 'good') },
          { icon: 'down' as const, label: 'Bad answer', run: () => onRate(message, 'bad') },
        ]
      : []),
  ];
}
