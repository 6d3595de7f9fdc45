import type { Command, PromptAnswer } from '@verbatim/client';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useImperativeHandle, useRef, useState, type Ref } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Icon } from '../../ui/icon.tsx';
import { Button } from '../../ui/parts.tsx';
import { Completion, matching } from './completion.tsx';
import { labelOf, type Paste, pasteOf, promptBody, type Submission } from './pastes.ts';

export interface ComposerHandle {
  readonly focus: () => void;
  readonly edit: (text: string, pastes: readonly Paste[]) => void;
}

interface Props {
  readonly ref: Ref<ComposerHandle>;
  /** A turn runs: a prompt waits in the queue, or interrupts it. */
  readonly isBusy: boolean;
  readonly isEditing: boolean;
  readonly onCancelEdit: () => void;
  readonly onStop: () => void;
  /** Called while the user writes. */
  readonly onType: () => void;
  readonly submit: (submission: Submission) => Promise<PromptAnswer | null>;
}

/** Longer pastes become an attachment of the prompt, as in a terminal. */
const PASTE_CHARACTERS = 2_000;

/** Where prompts are written: Enter sends, Shift+Enter is a new line, `/` completes commands, a leading `!` runs in the shell. */
export function Composer({ ref, isBusy, isEditing, onCancelEdit, onStop, onType, submit }: Props) {
  const [text, setText] = useState('');
  const [pastes, setPastes] = useState<readonly Paste[]>([]);
  const [isSending, setSending] = useState(false);
  const [isOver, setOver] = useState(false);
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const client = useClient();
  const commands = useLoad((signal) => client.listCommands({}, { signal }), [client]).data?.data ?? [];
  const offered = matching(commands, text);
  const isBash = text.startsWith('!');
  // Asked when it is needed only: the list of tools may have to be fetched from other servers.
  const tools = useLoad(async (signal) => (isBash ? client.listTools({}, { signal }) : null), [client, isBash]);
  const hasShell = tools.data === null || tools.data.data.some(({ name }) => name === 'Bash');

  useImperativeHandle(ref, () => ({
    focus: () => field.current?.focus(),
    edit: (value, files) => {
      setText(value);
      setPastes(files);
      field.current?.focus();
    },
  }));
  useEffect(() => {
    const element = field.current!;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, 320)}px`;
  }, [text]);
  useEffect(() => setChosen(0), [text]);

  const add = async (files: Iterable<File>): Promise<void> => {
    for (const file of files) {
      const paste = await pasteOf(file);
      setPastes((before) => [...before, paste]);
    }
  };
  const send = async (whenBusy: 'enqueue' | 'interrupt' = 'enqueue'): Promise<void> => {
    if (isSending || (text.trim() === '' && pastes.length === 0)) return;
    setSending(true);
    const sent = await submit(promptBody(text, pastes, whenBusy));
    setSending(false);
    if (!sent) return;
    setText('');
    setPastes([]);
    field.current?.focus();
  };
  const complete = ({ name }: Command): void => {
    setText(`/${name} `);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (offered.length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      setChosen((chosen + (event.key === 'ArrowDown' ? 1 : offered.length - 1)) % offered.length);
    } else if (offered.length > 0 && (event.key === 'Tab' || (event.key === 'Enter' && text.slice(1) !== offered[chosen]?.name))) {
      event.preventDefault();
      complete(offered[chosen]!);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void send(event.ctrlKey || event.metaKey ? 'interrupt' : 'enqueue');
    } else if (event.key === 'Escape') {
      if (isEditing) onCancelEdit();
      else if (isBusy && text === '') onStop();
      else field.current?.blur();
    }
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { files } = event.clipboardData;
    const pasted = event.clipboardData.getData('text/plain');
    if (files.length === 0 && pasted.length < PASTE_CHARACTERS) return;
    event.preventDefault();
    if (files.length > 0) void add(files);
    else setPastes([...pastes, { type: 'text', content: pasted, name: labelOf(pasted) }]);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void add(event.dataTransfer.files);
  };

  return (
    <form
      className={`composer ${isBash ? 'bash' : ''} ${isOver ? 'over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {isEditing && (
        <p className="composer-note">
          Editing an earlier prompt: everything after it becomes another branch.
          <Button look="quiet" onClick={onCancelEdit}>
            Cancel
          </Button>
        </p>
      )}
      {isBash && (
        <p className="composer-note">
          {hasShell ? 'Runs in the shell of this conversation; the model sees it with your next prompt.' : 'This server has no shell: TOOLS=Bash turns it on.'}
        </p>
      )}
      <Completion commands={offered} chosen={chosen} onChoose={complete} />
      {pastes.length > 0 && (
        <ul className="pastes">
          {pastes.map((paste, index) => (
            <li key={index}>
              {paste.name}
              <button type="button" aria-label={`Remove ${paste.name}`} onClick={() => setPastes(pastes.filter((one) => one !== paste))}>
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="composer-row">
        <input ref={picker} type="file" multiple hidden onChange={(event) => void add(event.target.files ?? []).then(() => (picker.current!.value = ''))} />
        <button type="button" className="round" aria-label="Attach files" onClick={() => picker.current?.click()}>
          <Icon name="clip" />
        </button>
        <textarea
          ref={field}
          rows={1}
          value={text}
          dir="auto"
          aria-label="Prompt"
          placeholder={isBusy ? 'Write the next prompt: it waits its turn' : 'Write a prompt, or / for commands'}
          onChange={(event) => {
            setText(event.target.value);
            onType();
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {isBusy && (
          <button type="button" className="round" aria-label="Stop" onClick={onStop}>
            <Icon name="stop" />
          </button>
        )}
        <button type="submit" className="round send" aria-label="Send" disabled={isSending || (text.trim() === '' && pastes.length === 0)}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}
