import type { AnswerOf } from '@verbatim/client';
import { useAccount } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { Link } from '../../app/router.tsx';
import { visible } from '../../text/plain.tsx';
import { Badge, ErrorNote, Loading } from '../../ui/parts.tsx';
import { SectionHead } from './section-head.tsx';

const TONES = { read: 'neutral', edit: 'warn', run: 'warn' } as const;
const EFFECTS = { read: 'reads', edit: 'edits', run: 'runs' } as const;
/** Of tools that do something else than what their permissions go by. */
const OWN_EFFECTS: Readonly<Record<string, string>> = { memory: 'keeps notes', ExitPlanMode: 'asks' };

/** What the model can call, and what people can: tools, skills, and what keeps others from being offered. */
export function Tools() {
  const { client, me } = useAccount();
  const tools = useLoad((signal) => client.listTools({}, { signal }), [client]);
  const skills = useLoad((signal) => client.listSkills({}, { signal }), [client]);
  const problems = [
    ...(tools.data?.problems ?? []).map(({ source, problem }) => [source, problem] as const),
    ...(skills.data?.problems ?? []).map(({ path, problem }) => [path, problem] as const),
  ];
  return (
    <>
      <SectionHead
        title="Tools and skills"
        about="What the model can call in a conversation, as far as its permissions allow, and what people call by a slash."
      />
      <ErrorNote error={tools.error ?? skills.error} />
      {problems.map(([source, problem]) => (
        <p key={source + problem} className="note warn" title={problem}>
          <span>
            <strong>{visible(source.replace(/^mcp:/, '').replace(/^agent:/, 'Agent '))}</strong>: {inWords(problem)}{' '}
            {source.startsWith('mcp:') && me.role === 'admin' && <Link to="/tenant/settings#MCP%20servers">MCP servers in the settings</Link>}
            {source.startsWith('agent:') && me.role === 'admin' && <Link to="/tenant/settings#Agents">Agents in the settings</Link>}
          </span>
        </p>
      ))}
      <section className="card" aria-label="Tools">
        <h2>Tools</h2>
        {!tools.data && <Loading what="the tools" />}
        {tools.data?.data.length === 0 && <p className="aside">The server offers none: TOOLS and MCP_FILE name them.</p>}
        {bySource(tools.data?.data ?? []).map(([source, ofSource]) => (
          <div key={source} className="offered-group">
            <h3>{source === 'builtin' ? 'Built in' : visible(source.replace(/^mcp:/, 'MCP server '))}</h3>
            <ul className="entries">
              {ofSource.map(({ name, description, effect }) => (
                <li key={name} className="offered">
                  <strong className="offered-name">{visible(name)}</strong>
                  <Described text={description} />
                  <Badge tone={TONES[effect]}>{(source === 'builtin' && OWN_EFFECTS[name]) || EFFECTS[effect]}</Badge>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </section>
      <section className="card" aria-label="Skills">
        <h2>Skills and commands</h2>
        {skills.data?.data.length === 0 && (
          <p className="nothing-yet">None is installed. Plugins bring them: those of the server, and those that the settings of the tenant name.</p>
        )}
        <ul className="entries">
          {skills.data?.data.map(({ name, description, kind }) => (
            <li key={name} className="offered">
              <strong className="offered-name">/{visible(name)}</strong>
              <Described text={description} />
              <Badge>{kind}</Badge>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** A description is written for the model: its first sentence says what there is, the rest how to use it. */
function Described({ text }: { readonly text: string }) {
  const [first] = /^.*?[.:!?](?=\s)/.exec(text) ?? [text];
  if (first.length === text.length) return <p className="offered-text">{visible(text)}</p>;
  return (
    <details className="offered-text">
      <summary>{visible(first.replace(/:$/, '.'))}</summary>
      <p className="aside">{visible(text.slice(first.length).trim())}</p>
    </details>
  );
}

type Tool = AnswerOf<'listTools'>['data'][number];

/** In their order. */
function bySource(tools: readonly Tool[]): readonly (readonly [source: string, tools: readonly Tool[]])[] {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) groups.set(tool.source, [...(groups.get(tool.source) ?? []), tool]);
  return [...groups];
}

const FAULTS: readonly (readonly [word: RegExp, inWords: string])[] = [
  [/\bENOTFOUND\b|\bEAI_AGAIN\b/, 'its name could not be resolved.'],
  [/\bECONNREFUSED\b/, 'it refused the connection.'],
  [/\bECONNRESET\b|socket hang up/, 'it closed the connection.'],
  [/\bETIMEDOUT\b|timed? ?out/i, 'it did not answer in time.'],
];

/** Errors of the network by what they mean; others as they came. */
const inWords = (problem: string): string => FAULTS.find(([word]) => word.test(problem))?.[1] ?? visible(problem);
