import type { ComponentType } from 'react';
import { Code, COLOURS_LIMIT, languageOf } from '../../../text/code.tsx';
import { LineDiff } from '../../../text/line-diff.tsx';
import { Markdown } from '../../../text/markdown.tsx';
import { Plain, visible } from '../../../text/plain.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Json } from '../../../ui/parts.tsx';

type Input = Readonly<Record<string, unknown>>;
interface Props {
  readonly input: Input;
}

/**
 * What a well-known tool is asked to do, as a person reads it. A tool with another shape than the well-known one, or with members that its view does not show,
 * is shown as JSON: nothing of an input is hidden.
 */
export function InputView({ name, input }: { readonly name: string; readonly input: unknown }) {
  const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
  if (!view || !isRecord(input) || !view.fits(input)) return <Json value={input} label="Input" />;
  const { View } = view;
  return <View input={input} />;
}

interface ToolView {
  readonly fits: (input: Input) => boolean;
  readonly View: ComponentType<Props>;
}

/** A shape: members that must be texts, and others that may be there. */
const shape =
  (required: readonly string[], optional: readonly string[] = []) =>
  (input: Input): boolean =>
    required.every((name) => typeof input[name] === 'string') && Object.keys(input).every((name) => required.includes(name) || optional.includes(name));

const isRecord = (value: unknown): value is Input => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function CodeBox({ code, lang, label }: { readonly code: string; readonly lang: string; readonly label: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="tool-code" tabIndex={0} aria-label={label}>
      <code>
        <Code code={code} lang={lang} />
      </code>
    </pre>
  );
}

/** Members that are said in a line beside the main one. */
function Others(of: MembersProps) {
  if (Object.keys(of.input).every((name) => of.except.includes(name))) return null;
  return (
    <p className="aside">
      <Members {...of} />
    </p>
  );
}

interface MembersProps {
  readonly input: Input;
  readonly except: readonly string[];
}

function Members({ input, except }: MembersProps) {
  return Object.entries(input)
    .filter(([name]) => !except.includes(name))
    .map(([name, value]) => (
      <span key={name} className="tool-member">
        {visible(name)}: {visible(text(value).slice(0, 500))}
      </span>
    ));
}

function Shell({ input }: Props) {
  return (
    <>
      {typeof input['description'] === 'string' && <p className="aside">{visible(input['description'])}</p>}
      <CodeBox code={text(input['command'])} lang="bash" label="Command" />
      <Others input={input} except={['command', 'description']} />
    </>
  );
}

const File = ({ path }: { readonly path: unknown }) => (
  <p className="tool-path">
    <code>{visible(text(path))}</code>
  </p>
);

function Written({ input }: Props) {
  const path = text(input['file_path']);
  return (
    <>
      <File path={path} />
      {text(input['content']).length > COLOURS_LIMIT ? (
        <Plain text={text(input['content'])} className="mono" />
      ) : (
        <CodeBox code={text(input['content'])} lang={languageOf(path)} label="Content of the file" />
      )}
    </>
  );
}

function Edited({ input }: Props) {
  const edits = Array.isArray(input['edits']) ? (input['edits'] as readonly Input[]) : [input];
  return (
    <>
      <File path={input['file_path']} />
      {edits.map((edit, index) => (
        <LineDiff key={index} before={text(edit['old_string'])} after={text(edit['new_string'])} label={`Change ${index + 1}`} />
      ))}
      <Others input={input} except={['file_path', 'old_string', 'new_string', 'edits']} />
    </>
  );
}

function Todos({ input }: Props) {
  const todos = input['todos'] as readonly Input[];
  return (
    <ul className="todos">
      {todos.map(({ content, status }, index) => (
        <li key={index} className={`todo-${status === 'completed' ? 'done' : status === 'in_progress' ? 'now' : 'later'}`}>
          <Icon name={status === 'completed' ? 'boxChecked' : status === 'in_progress' ? 'boxCurrent' : 'box'} /> {visible(text(content))}
          <span className="hidden"> ({visible(text(status))})</span>
        </li>
      ))}
    </ul>
  );
}

/** The main member first, the others beside it, in one line where there is room. */
const first = (main: string): ComponentType<Props> =>
  function First({ input }: Props) {
    return (
      <p className="tool-path">
        <code>{visible(text(input[main]))}</code>{' '}
        <span className="aside">
          <Members input={input} except={[main]} />
        </span>
      </p>
    );
  };

function Asked({ input }: Props) {
  return (
    <>
      <p>
        <strong>{visible(text(input['description']))}</strong>
      </p>
      <Plain text={text(input['prompt'])} />
      <Others input={input} except={['description', 'prompt']} />
    </>
  );
}

const Planned = ({ input }: Props) => <Markdown text={text(input['plan'])} />;

const isEdit = shape(['old_string', 'new_string'], ['replace_all']);
const isTodo = shape(['content', 'status'], ['activeForm', 'id', 'priority']);
const listOf = (value: unknown, fits: (input: Input) => boolean): boolean => Array.isArray(value) && value.every((item) => isRecord(item) && fits(item));

const agent: ToolView = { fits: shape(['description', 'prompt'], ['subagent_type', 'agent', 'model', 'run_in_background']), View: Asked };
const todos: ToolView = { fits: (input) => Object.keys(input).length === 1 && listOf(input['todos'], isTodo), View: Todos };
const shell: ToolView = { fits: shape(['command'], ['description', 'timeout', 'run_in_background']), View: Shell };

/** By the names that tools of the same shape have in Claude Code, and in this server. */
const VIEWS: Readonly<Record<string, ToolView>> = {
  Bash: shell,
  Write: { fits: shape(['file_path', 'content']), View: Written },
  Edit: { fits: shape(['file_path', 'old_string', 'new_string'], ['replace_all']), View: Edited },
  MultiEdit: {
    fits: (input) => shape(['file_path'], ['edits'])(input) && listOf(input['edits'], isEdit),
    View: Edited,
  },
  Read: { fits: shape(['file_path'], ['offset', 'limit', 'pages']), View: first('file_path') },
  Glob: { fits: shape(['pattern'], ['path']), View: first('pattern') },
  Grep: { fits: (input) => typeof input['pattern'] === 'string', View: first('pattern') },
  LS: { fits: shape(['path'], ['ignore']), View: first('path') },
  WebSearch: { fits: shape(['query'], ['allowed_domains', 'blocked_domains']), View: first('query') },
  WebFetch: { fits: shape(['url'], ['prompt']), View: first('url') },
  ExitPlanMode: { fits: shape(['plan']), View: Planned },
  TodoWrite: todos,
  Task: agent,
  Agent: agent,
};
