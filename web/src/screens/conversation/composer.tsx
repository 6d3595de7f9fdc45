import { type Command, type Composition, type PromptAnswer, withoutPiece, withPaste } from '@verbatim/client';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useImperativeHandle, useRef, useState, type Ref } from 'react';
import { useClient } from '../../app/account.tsx';
import { useFileDrop } from '../../app/file-drop.ts';
import { useLoad } from '../../app/load.ts';
import { onField } from '../../app/start-writing.ts';
import { Icon } from '../../ui/icon.tsx';
import { Button } from '../../ui/parts.tsx';
import { Completion, matching } from './completion.tsx';
import { Pieces, withFile } from './pieces.tsx';
import { isEmpty, NOTHING, useWriting } from './writing.ts';

export interface ComposerHandle {
  readonly focus: () => void;
  /** Opens a prompt as it was sent. `replaces`: uuid of its message; null: it waited in the queue, and does no more. */
  readonly edit: (composition: Composition, replaces: string | null) => void;
  /** Takes away what `edit` has opened, unless the user has changed it. */
  readonly drop: (composition: Composition) => void;
}

export type WhenBusy = 'enqueue' | 'interrupt';

interface Props {
  readonly id: string;
  readonly ref: Ref<ComposerHandle>;
  /** A turn runs: a prompt waits in the queue, or interrupts it. */
  readonly isBusy: boolean;
  /** It runs, and does not wait for a decision, which Escape must not take away. */
  readonly isRunning: boolean;
  readonly onStop: () => void;
  /** Called while the user writes. */
  readonly onType: () => void;
  /** Called with the uuid of the prompt that is being edited; null: it is a new one. */
  readonly onEdits: (uuid: string | null) => void;
  readonly submit: (composition: Composition, replaces: string | null, whenBusy: WhenBusy) => Promise<PromptAnswer | null>;
  /** What prompts go out with. */
  readonly settings: ReactNode;
}

/** Longer pastes become an attachment of the prompt, as in a terminal. */
const PASTE_CHARACTERS = 2_000;

/** After this time a prompt that is sent says that the server has not answered, in milliseconds. */
const LATE_MS = 2_000;

/** Where prompts are written: Enter sends, Shift+Enter is a new line, `/` completes commands, a leading `!` writes to the shell. */
export function Composer({ id, ref, isBusy, isRunning, onStop, onType, onEdits, submit, settings }: Props) {
  const [{ composition, replaces, aside }, write] = useWriting(id);
  const { text, pieces } = composition;
  const [isSending, setSending] = useState(false);
  const [isLate, setLate] = useState(false);
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const client = useClient();
  const commands = useLoad((signal) => client.listCommands({}, { signal }), [client]).data?.data ?? [];
  const isBash = composition.from.mode === 'bash';
  const offered = isBash ? [] : matching(commands, text);
  // Asked when it is needed only: the list of tools may have to be fetched from other servers.
  const tools = useLoad(async (signal) => (isBash ? client.listTools({}, { signal }) : null), [client, isBash]);
  const hasShell = tools.data === null || tools.data.data.some(({ name }) => name === 'Bash');

  const change = (next: (before: Composition) => Composition): void => write((before) => ({ ...before, composition: next(before.composition) }));
  const setMode = (mode: 'prompt' | 'bash', value: string): void => change(({ from, ...before }) => ({ ...before, text: value, from: { ...from, mode } }));
  const cancelEdit = (): void => write({ ...NOTHING, composition: aside ?? NOTHING.composition });

  useImperativeHandle(ref, () => ({
    focus: () => field.current?.focus(),
    edit: (edited, of) => {
      write((before) => {
        const left = before.aside ?? (isEmpty(before.composition) ? null : before.composition);
        return { composition: edited, replaces: of, aside: before.replaces === null ? left : before.aside };
      });
      field.current?.focus();
    },
    drop: (edited) => write((before) => (before.composition === edited ? { ...NOTHING, composition: before.aside ?? NOTHING.composition } : before)),
  }));
  useEffect(() => {
    const element = field.current!;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, 320)}px`;
  }, [text]);
  useEffect(() => setChosen(0), [text]);
  useEffect(() => onEdits(replaces), [onEdits, replaces]);
  useEffect(() => onField(id, field.current!), [id]);

  const add = async (files: Iterable<File>): Promise<void> => {
    for (const file of files) {
      const { pieces: added } = await withFile(NOTHING.composition, file);
      change((before) =>
        added.reduce((after, piece) => (piece.type === 'paste' ? withPaste(after, piece.paste) : { ...after, pieces: [...after.pieces, piece] }), before),
      );
    }
  };
  const send = async (whenBusy: WhenBusy = 'enqueue'): Promise<void> => {
    if (isSending || isEmpty(composition)) return;
    setSending(true);
    const late = setTimeout(() => setLate(true), LATE_MS);
    const sent = await submit(composition, replaces, whenBusy);
    clearTimeout(late);
    setLate(false);
    setSending(false);
    if (!sent) return;
    cancelEdit();
    field.current?.focus();
  };
  const complete = ({ name }: Command): void => {
    change((before) => ({ ...before, text: `/${name} ` }));
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
    } else if (event.key === 'Backspace' && isBash && text === '') {
      setMode('prompt', '');
    } else if (event.key === 'Escape') {
      if (replaces !== null) cancelEdit();
      else if (isRunning && text === '') onStop();
      else field.current?.blur();
    }
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { files } = event.clipboardData;
    const pasted = event.clipboardData.getData('text/plain');
    if (files.length === 0 && pasted.length < PASTE_CHARACTERS) return;
    event.preventDefault();
    if (files.length > 0) void add(files);
    else change((before) => withPaste(before, { type: 'text', content: pasted }));
  };
  const isOver = useFileDrop(({ files }) => void add(files));

  return (
    <form
      className={`composer ${isBash ? 'bash' : ''} ${isOver ? 'over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {replaces !== null && (
        <p className="composer-note">
          Editing an earlier prompt: sending begins a new branch, and what followed stays as another one.
          <Button look="quiet" onClick={cancelEdit}>
            Cancel
          </Button>
        </p>
      )}
      {isLate && (
        <p className="composer-note" role="status">
          The server has not answered yet. The prompt is sent again, and counts once.
        </p>
      )}
      {aside !== null && <p className="composer-note">What you were writing is here again afterwards.</p>}
      {isBash && (
        <p className="composer-note">
          {hasShell ? 'Runs in the shell of this conversation; the model sees it with your next prompt.' : 'This server has no shell: TOOLS=Bash turns it on.'}
          <Button look="quiet" onClick={() => setMode('prompt', text)}>
            To the model instead
          </Button>
        </p>
      )}
      <Completion commands={offered} chosen={chosen} onChoose={complete} />
      <Pieces pieces={pieces} onRemove={(piece) => change((before) => withoutPiece(before, piece))} />
      <textarea
        ref={field}
        rows={1}
        value={text}
        dir="auto"
        aria-label="Prompt"
        placeholder={isBusy ? 'Write the next prompt' : 'Write a prompt, or / for commands'}
        onChange={({ target: { value } }) => {
          if (!isBash && value.startsWith('!') && !text.startsWith('!')) setMode('bash', value.slice(1));
          else change((before) => ({ ...before, text: value }));
          onType();
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className="composer-row">
        <input ref={picker} type="file" multiple hidden onChange={(event) => void add(event.target.files ?? []).then(() => (picker.current!.value = ''))} />
        <button type="button" className="round" aria-label="Attach files" title="Attach files" onClick={() => picker.current?.click()}>
          <Icon name="clip" />
        </button>
        {settings}
        <span className="spacer" />
        {isBusy && (
          <button
            type="button"
            className={`round stop-answer ${isEmpty(composition) ? 'alone' : ''}`}
            aria-label="Stop"
            title="Stop the answer"
            onClick={onStop}
          >
            <Icon name="stop" />
          </button>
        )}
        {!(isBusy && isEmpty(composition)) && (
          <button type="submit" className="round send" aria-label="Send" title="Send" disabled={isSending || isEmpty(composition)}>
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
