import type { AnswerOf } from '@verbatim/client';
import { isForHelpers, unknownTools } from '../../../../src/session/tenants/agent-tools.ts';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { namesIn, NONE } from './names.ts';

/** What the server offers to the tenant, and why tools of some sources are not known. */
export type KnownTools = Pick<AnswerOf<'listTools'>, 'data' | 'problems'>;

interface Props {
  /** As they are written. */
  readonly tools: string;
  /** Null: they are not known, or not yet. */
  readonly known: KnownTools | null;
  /** What the labels call the agent. */
  readonly title: string;
  /** Of the note about names, by which the field is described. */
  readonly noteId: string;
  readonly onChange: (tools: string) => void;
}

/** The tools that an agent can have, to be chosen, and which of its tools are none. */
export function AgentTools({ tools, known, title, noteId, onChange }: Props) {
  const names = namesIn(tools);
  const { unknown, unsure } = missingOf(tools, known);
  const offered = known?.data.filter(isForHelpers) ?? [];
  const turn = (name: string): void => {
    const next = names.includes(name) ? names.filter((one) => one !== name) : [...names, name];
    onChange(next.length === 0 ? NONE : next.join(', ')); // an empty field would be all tools
  };
  return (
    <>
      <div id={noteId}>
        {unknown.length > 0 && (
          <p className="note warn">
            <span>
              Helpers are offered no tool of {unknown.length === 1 ? 'this name' : 'these names'}: <Names of={unknown} />. The agent works without{' '}
              {itOrThem(unknown)}.
            </span>
          </p>
        )}
        {unsure.length > 0 && (
          <p className="note warn">
            <span>
              The tools of an MCP server are not known now, so it is not known whether there {unsure.length === 1 ? 'is' : 'are'} <Names of={unsure} />.
            </span>
          </p>
        )}
      </div>
      {offered.length > 0 && (
        <details>
          <summary>Choose from {plural(offered.length, 'tool')}</summary>
          <div className="chips" role="group" aria-label={`Tools of ${title}`}>
            {offered.map(({ name, description }) => (
              <button
                key={name}
                type="button"
                className="chip"
                title={visible(description.slice(0, MAX_DESCRIPTION))}
                aria-pressed={names.includes(name)}
                onClick={() => turn(name)}
              >
                {visible(name)}
              </button>
            ))}
          </div>
        </details>
      )}
    </>
  );
}

/** Characters of a description that a tooltip has. */
const MAX_DESCRIPTION = 200;

/** The names that no tool of helpers has, as far as the tools are known. */
export const missingOf = (tools: string, known: KnownTools | null) =>
  known === null ? { unknown: [], unsure: [] } : unknownTools(namesIn(tools), known.data, known.problems);

const itOrThem = ({ length }: readonly string[]): string => (length === 1 ? 'it' : 'them');

function Names({ of: names }: { readonly of: readonly string[] }) {
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <code>{visible(name)}</code>
    </span>
  ));
}
