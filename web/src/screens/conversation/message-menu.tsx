import type { TranscriptMessage } from '@verbatim/client';
import { useState } from 'react';
import { useAccount, useClient } from '../../app/account.tsx';
import { navigate } from '../../app/router.tsx';
import { fullTime, plural } from '../../app/words.ts';
import { wordsOf } from '../../text/brief.ts';
import { visible } from '../../text/plain.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Json } from '../../ui/parts.tsx';
import { copy } from '../../ui/copy.ts';
import { ErasureForm } from '../sessions/erasure-form.tsx';
import { LinkForm } from '../sessions/link-form.tsx';
import { contentOf, isCall, textOf } from './items.ts';
import { useMessageActions, requestOf } from './message-actions.ts';
import type { SessionRole } from './role.ts';

interface Props {
  readonly id: string;
  readonly message: TranscriptMessage;
  /** All messages, to say what an erasure reaches. */
  readonly messages: readonly TranscriptMessage[];
  readonly onClose: () => void;
}

/** What can be done with one message. Links are the owner's; erasures also an admin's. */
export function MessageMenu({ role, at, ...of }: Props & { readonly role: SessionRole; readonly at: HTMLElement }) {
  const { id, message, onClose } = of;
  const { me } = useAccount();
  const [next, setNext] = useState<'erase' | 'share' | 'raw' | null>(null);
  const actions = useMessageActions(message);
  if (next === 'erase') return <EraseMessage {...of} />;
  if (next === 'share') {
    return (
      <Dialog title="Share up to here" onClose={onClose}>
        <p>A link shows the conversation up to this message, its files included, to everyone who has the link: nothing after it, and no other branch.</p>
        <LinkForm id={id} at={message.uuid} />
      </Dialog>
    );
  }
  if (next === 'raw') {
    return (
      <Dialog title="As it is stored" onClose={onClose}>
        <Json value={message} label="Message as it is stored" />
      </Dialog>
    );
  }
  const closing = ({ run, ...item }: MenuItem): MenuItem => ({ ...item, run: () => (onClose(), run()) });
  const request = requestOf(id, message);
  const text = textOf(message);
  const mayErase = role === 'owner' || me.role === 'admin';
  return (
    <Menu
      label="Message"
      at={at}
      onClose={onClose}
      head={<p className="popup-head">{fullTime(message.timestamp)}</p>}
      groups={[
        [
          ...(text === '' ? [] : [closing({ icon: 'copy', label: 'Copy text', run: () => copy(text) })]),
          ...(request === null ? [] : [closing({ icon: 'sent', label: 'What was sent', run: () => navigate(request) })]),
        ],
        actions.map(closing),
        [
          ...(role === 'owner' ? [{ icon: 'share' as const, label: 'Share up to here…', run: () => setNext('share') }] : []),
          { icon: 'code', label: 'Show as it is stored…', run: () => setNext('raw') },
          closing({ icon: 'copy', label: 'Copy id', run: () => copy(message.uuid) }),
        ],
        mayErase ? [{ icon: 'erase', label: 'Erase this message…', isDanger: true, run: () => setNext('erase') }] : [],
      ]}
    />
  );
}

/** Characters of the message that the dialog quotes. */
const QUOTED = 160;

function EraseMessage({ id, message, messages, onClose }: Props) {
  const client = useClient();
  const text = wordsOf(textOf(message)).trim();
  return (
    <ErasureForm
      id={id}
      title="Erase this message"
      onClose={onClose}
      onErased={() => {}}
      erase={(options) => client.eraseMessage({ id, uuid: message.uuid, ...options })}
    >
      {text !== '' && <blockquote className="quoted">{visible(text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text)}</blockquote>}
      <p>{reachOf(message, messages)} It cannot be restored; the model is sent “[Erased]” in its place.</p>
      <dl className="reach">
        <dt>Also erased</dt>
        <dd>Summaries of a compaction and titles that the model made later, hook runs of its turn, and files that nothing else uses</dd>
        <dt>Not erased</dt>
        <dd>Other messages that quote it, and titles of forks</dd>
        <dt>What stays</dt>
        <dd>That there was something, when, by whom, and its hashes</dd>
      </dl>
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
