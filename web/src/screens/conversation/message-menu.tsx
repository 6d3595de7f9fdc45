import type { TranscriptMessage } from '@verbatim/client';
import { useState } from 'react';
import { useAccount, useClient } from '../../app/account.tsx';
import { fullTime, plural } from '../../app/words.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, Copy, Json } from '../../ui/parts.tsx';
import { ErasureForm } from '../sessions/erasure-form.tsx';
import { LinkForm } from '../sessions/link-form.tsx';
import { contentOf, isCall } from './items.ts';
import type { SessionRole } from './role.ts';

interface Props {
  readonly id: string;
  readonly message: TranscriptMessage;
  /** All messages, to say what an erasure reaches. */
  readonly messages: readonly TranscriptMessage[];
  readonly onClose: () => void;
}

/** What can be done with one message, besides what its row offers. Links are the owner's; erasures also an admin's. */
export function MessageMenu({ role, ...of }: Props & { readonly role: SessionRole }) {
  const { id, message, onClose } = of;
  const { me } = useAccount();
  const [next, setNext] = useState<'erase' | 'share' | 'raw' | null>(null);
  if (next === 'erase') return <EraseMessage {...of} />;
  if (next === 'share') {
    return (
      <Dialog title="Share up to here" onClose={onClose}>
        <p>A link shows the conversation up to this message, its files included, to everyone who has the link: nothing after it, and no other branch.</p>
        <LinkForm id={id} at={message.uuid} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Message" onClose={onClose}>
      <p className="aside">
        {fullTime(message.timestamp)} · <code>{message.uuid}</code> <Copy text={message.uuid} isIcon />
      </p>
      {next === 'raw' && <Json value={message} label="Message as it is stored" />}
      <div className="choices">
        {role === 'owner' && <Button onClick={() => setNext('share')}>Share up to here…</Button>}
        {next === null && <Button onClick={() => setNext('raw')}>Show as it is stored</Button>}
        {(role === 'owner' || me.role === 'admin') && (
          <Button look="danger" onClick={() => setNext('erase')}>
            Erase this message…
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function EraseMessage({ id, message, messages, onClose }: Props) {
  const client = useClient();
  return (
    <ErasureForm
      id={id}
      title="Erase this message"
      onClose={onClose}
      onErased={() => {}}
      erase={(options) => client.eraseMessage({ id, uuid: message.uuid, ...options })}
    >
      <p>{reachOf(message, messages)} It cannot be restored; the model is sent “[Erased]” in its place.</p>
      <p>
        Also erased: summaries of a compaction that were written later, titles that the model made later, hook runs of its turn, and files that nothing else
        uses. Not erased: other messages that quote it, and titles of forks. What stays is that there was something, when, by whom, and its hashes.
      </p>
    </ErasureForm>
  );
}

/** What an erasure of the message reaches of what the conversation shows (docs/privacy.md). */
function reachOf(message: TranscriptMessage, messages: readonly TranscriptMessage[]): string {
  const blocks = contentOf(message) ?? [];
  if (message.type === 'assistant') {
    const { requestId } = message;
    const parts = requestId === undefined ? [message] : messages.filter((other) => other.type === 'assistant' && other.requestId === requestId);
    const calls = parts.flatMap((part) => (contentOf(part) ?? []).filter(isCall)).length;
    const more = parts.length > 1 ? ` with all its ${parts.length} parts` : '';
    return `The answer is erased${more}${calls > 0 ? `, and the input of ${plural(calls, 'tool call')}` : ''}.`;
  }
  if (message.type !== 'user') return 'The message is erased.';
  const results = blocks.filter(({ type }) => type === 'tool_result').length;
  if (results > 0) return `${plural(results, 'tool result')} of this message ${results === 1 ? 'is' : 'are'} erased, with the records of the calls.`;
  return 'The prompt is erased, with everything that was made of it before the answer: attachments, expanded skills, descriptions of images.';
}
