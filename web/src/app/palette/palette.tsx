import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ErrorNote } from '../../ui/parts.tsx';
import { plural } from '../words.ts';
import { type Group, useOptions } from './options.ts';

interface Props {
  /** What was typed before the field had the focus. */
  readonly typed: { readonly current: string };
  readonly onClose: () => void;
  readonly onChoose: (run: () => void) => void;
}

/** Conversations, screens and actions in one field: a combobox with a list that is always open. The focus stays in the field. */
export function Palette({ typed, onClose, onChoose }: Props) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const { groups, isLoading, error } = useOptions(text.trim());
  const all = groups.flatMap(({ options }) => options);
  const at = Math.max(
    0,
    all.findIndex(({ id }) => id === chosen),
  );
  const active = all[at];
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    setText(typed.current);
  }, [typed]);
  useEffect(() => {
    if (active) document.getElementById(active.id)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen(all.at((at + step) % all.length)?.id ?? null);
    else if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    else if (active) onChoose(active.run);
    event.preventDefault();
  };
  return (
    <Dialog title="Go to, or do" onClose={onClose}>
      <div className="palette-search">
        <Icon name="search" />
        <input
          ref={field}
          className="palette-field"
          role="combobox"
          aria-label="Conversation, screen or action"
          aria-expanded={all.length > 0}
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={active?.id}
          autoComplete="off"
          spellCheck={false}
          placeholder="Search or go to…"
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(null);
          }}
        />
      </div>
      <ErrorNote error={error} />
      <Options groups={groups} words={text.trim()} active={active?.id} onChoose={onChoose} />
      <div className="aside palette-foot">
        <p role="status">
          {isLoading && text !== ''
            ? 'Searching…'
            : text.trim() === ''
              ? 'Conversations, screens and actions'
              : all.length === 0
                ? 'Nothing was found'
                : plural(all.length, 'result')}
        </p>
        <p className="not-phone" aria-hidden="true">
          <kbd>↑</kbd>
          <kbd>↓</kbd> choose <kbd>↵</kbd> open <kbd>Esc</kbd> close
        </p>
      </div>
    </Dialog>
  );
}

function Options({
  groups,
  words,
  active,
  onChoose,
}: {
  readonly groups: readonly Group[];
  readonly words: string;
  readonly active: string | undefined;
  readonly onChoose: Props['onChoose'];
}) {
  return (
    <div className="palette-list" id="palette-list" role="listbox" aria-label="Results">
      {groups.map(({ name, options }) => (
        <div key={name} role="group" aria-label={name}>
          <p aria-hidden="true">{name}</p>
          {options.map(({ id, icon, label, more, shortcut, run }) => (
            // The keys of the field choose, too.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
            <div key={id} id={id} role="option" aria-selected={id === active} onMouseDown={(event) => event.preventDefault()} onClick={() => onChoose(run)}>
              <Icon name={icon} /> <bdi>{marked(label, words)}</bdi> {more !== '' && <span className="aside">{more}</span>}{' '}
              {shortcut !== undefined && <kbd className="not-phone">{shortcut}</kbd>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** A label with what was typed marked in it. */
function marked(label: string, words: string): ReactNode {
  if (words === '') return label;
  const parts = words.split(/\s+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return label.split(new RegExp(`(${parts.join('|')})`, 'iu')).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}
