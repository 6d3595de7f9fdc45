import type { Command } from '@verbatim/client';

const MOST = 8;

/** The commands that the text may be the beginning of. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  return commands
    .filter(({ name }) => name.toLowerCase().includes(typed))
    .sort((a, b) => Number(b.name.startsWith(typed)) - Number(a.name.startsWith(typed)))
    .slice(0, MOST);
}

interface Props {
  readonly commands: readonly Command[];
  readonly chosen: number;
  readonly onChoose: (command: Command) => void;
}

export function Completion({ commands, chosen, onChoose }: Props) {
  if (commands.length === 0) return null;
  return (
    <ul className="completion" role="listbox" aria-label="Commands">
      {commands.map((command, index) => (
        <li key={command.name} role="option" aria-selected={index === chosen} onMouseDown={(event) => event.preventDefault()} onClick={() => onChoose(command)}>
          <span>
            <strong>/{command.name}</strong> {command.argumentHint && <span className="aside">{command.argumentHint}</span>}
          </span>{' '}
          <span className="brief">{command.description}</span>
        </li>
      ))}
    </ul>
  );
}
