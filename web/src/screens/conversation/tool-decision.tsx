import type { ToolCall } from '@verbatim/client';
import { useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useKeys } from '../../app/keyboard.ts';
import { visible } from '../../text/plain.tsx';
import { Button } from '../../ui/parts.tsx';
import { AllowAlways } from './allow-always.tsx';
import { useTranscript } from './context.tsx';
import { beginEdit, type EditedInput, editedInput, InputEditor } from './input-editor.tsx';

/** A person decides about a call: as it is, with another input, or not at all. */
export function Decision({ call }: { readonly call: ToolCall }) {
  const { id, act, canWrite } = useTranscript();
  const client = useClient();
  const [feedback, setFeedback] = useState('');
  /** The input as it is edited; null: as the model wrote it. */
  const [edited, setEdited] = useState<EditedInput | null>(null);
  const [isForAlways, setForAlways] = useState(false);
  const [isDenying, setDenying] = useState(false);
  const updated = edited === null ? null : editedInput(edited);
  /** A second press, such as of a double click, decides nothing. */
  const isDecided = useRef(false);
  const decide = (decision: 'allow' | 'reject'): void => {
    if (isDecided.current) return;
    isDecided.current = true;
    const body = {
      ...{ toolUseId: call.toolUseId, decision },
      ...(decision === 'reject' && feedback.trim() !== '' ? { feedback: feedback.trim() } : {}),
      ...(decision === 'allow' && updated ? { updatedInput: updated } : {}),
    };
    act(() =>
      client.decideToolCall({ id, body }).catch((error: unknown) => {
        isDecided.current = false;
        throw error;
      }),
    );
  };
  // Of several calls that wait, the first one in the page.
  const once =
    (decision: 'allow' | 'reject') =>
    ({ repeat }: KeyboardEvent): void => {
      if (!repeat) decide(decision); // a key that is held must not decide about the next call
    };
  const isChanging = edited !== null || isForAlways || isDenying;
  useKeys(canWrite ? { y: isChanging ? nothing : once('allow'), d: isChanging ? nothing : once('reject') } : {});
  if (!canWrite) return <p className="aside">Someone who may write in this conversation has to decide.</p>;
  return (
    <div className="decision">
      <p>
        <strong>{askedOf(call.name)}</strong> {call.reason}
      </p>
      {edited !== null && <InputEditor edited={edited} onChange={setEdited} />}
      {isDenying ? (
        <form
          className="denial"
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation(); // it would stop the turn
            setDenying(false);
          }}
          onSubmit={(event) => {
            event.preventDefault();
            decide('reject');
          }}
        >
          <label>
            Reason for a denial
            <input
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
              value={feedback}
              onChange={(event) => setFeedback(event.target.value)}
              placeholder="What the model should do instead"
            />
          </label>
          <Button look="danger" type="submit">
            {feedback.trim() === '' ? 'Deny without a reason' : 'Deny with this reason'}
          </Button>
          <Button look="quiet" onClick={() => setDenying(false)}>
            Cancel
          </Button>
        </form>
      ) : isForAlways ? (
        <AllowAlways call={call} onClose={() => setForAlways(false)} />
      ) : edited !== null ? (
        <>
          <Button look="primary" disabled={updated === null} onClick={() => decide('allow')}>
            Approve with this input
          </Button>
          <Button look="quiet" onClick={() => setEdited(null)}>
            Cancel
          </Button>
        </>
      ) : (
        <>
          <Button look="primary" aria-keyshortcuts="y" title="y" onClick={() => decide('allow')}>
            Approve <kbd aria-hidden="true">y</kbd>
          </Button>
          <Button look="danger" aria-keyshortcuts="d" title="d denies at once" onClick={() => setDenying(true)}>
            Deny… <kbd aria-hidden="true">d</kbd>
          </Button>
          <Button look="quiet" onClick={() => setEdited(beginEdit(call.input))}>
            Edit the input
          </Button>
          <Button look="quiet" onClick={() => setForAlways(true)}>
            Always allow…
          </Button>
        </>
      )}
    </div>
  );
}

const ASKED: Readonly<Record<string, string>> = {
  Bash: 'The model wants to run this command.',
  Write: 'The model wants to write this file.',
  Edit: 'The model wants to change this file.',
  MultiEdit: 'The model wants to change this file.',
  Read: 'The model wants to read this file.',
  Glob: 'The model wants to look for files.',
  Grep: 'The model wants to search in files.',
  WebFetch: 'The model wants to read this page.',
  WebSearch: 'The model wants to search the web.',
  Agent: 'The model wants to have a helper do this.',
  Task: 'The model wants to have a helper do this.',
};

const askedOf = (name: string): string => (Object.hasOwn(ASKED, name) ? ASKED[name]! : `The model wants to call ${visible(name.slice(0, 200))}.`);

/** The key is taken, so that it does not decide about another call. */
const nothing = (): void => undefined;

/** Of a tool that the client runs: a person can be the client. */
export function ClientResult({ call }: { readonly call: ToolCall }) {
  const { id, act, canWrite } = useTranscript();
  const client = useClient();
  const [text, setText] = useState('');
  const submit = (): void => act(() => client.submitToolResults({ id, body: { results: [{ toolUseId: call.toolUseId, content: text }] } }));
  if (!canWrite) return null;
  return (
    <div className="decision">
      <p>A client runs this tool. If there is none, write its result.</p>
      <input value={text} onChange={(event) => setText(event.target.value)} placeholder="Result" aria-label="Result of the tool" />
      <Button look="primary" onClick={submit} disabled={text === ''}>
        Submit the result
      </Button>
    </div>
  );
}
