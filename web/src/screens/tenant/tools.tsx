import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, ErrorNote, Loading } from '../../ui/parts.tsx';

const TONES = { read: 'neutral', edit: 'warn', run: 'bad' } as const;
const EFFECTS = { read: 'reads', edit: 'edits', run: 'runs' } as const;

/** What the model can call, and what people can: tools, skills, and what keeps others from being offered. */
export function Tools() {
  const client = useClient();
  const tools = useLoad((signal) => client.listTools({}, { signal }), [client]);
  const skills = useLoad((signal) => client.listSkills({}, { signal }), [client]);
  const problems = [
    ...(tools.data?.problems ?? []).map(({ source, problem }) => [source, problem] as const),
    ...(skills.data?.problems ?? []).map(({ path, problem }) => [path, problem] as const),
  ];
  return (
    <>
      <ErrorNote error={tools.error ?? skills.error} />
      {problems.map(([source, problem]) => (
        <p key={source + problem} className="note warn">
          <span>
            <strong>{source}</strong>: {problem}
          </span>
        </p>
      ))}
      <section className="card" aria-label="Tools">
        <h2>Tools</h2>
        <p className="aside">What the model can call in a conversation, as far as its permissions allow.</p>
        {!tools.data && <Loading what="the tools" />}
        {tools.data?.data.length === 0 && <p className="aside">The server offers none: TOOLS and MCP_FILE name them.</p>}
        <ul className="entries">
          {tools.data?.data.map(({ name, description, source, effect }) => (
            <li key={name} className="offered">
              <span className="offered-name">
                <strong>{visible(name)}</strong>
                <span className="aside">{source === 'builtin' ? 'built in' : visible(source)}</span>
              </span>
              <p className="session-brief wrap">{visible(description)}</p>
              <Badge tone={TONES[effect]}>{EFFECTS[effect]}</Badge>
            </li>
          ))}
        </ul>
      </section>
      <section className="card" aria-label="Skills">
        <h2>Skills and commands</h2>
        <p className="aside">What a person calls by a slash, and the model when it fits.</p>
        {skills.data?.data.length === 0 && (
          <p className="nothing-yet">None is installed. Plugins bring them: those of the server, and those that the settings of the tenant name.</p>
        )}
        <ul className="entries">
          {skills.data?.data.map(({ name, description, kind }) => (
            <li key={name} className="offered">
              <span className="offered-name">
                <strong>/{visible(name)}</strong>
              </span>
              <p className="session-brief wrap">{visible(description)}</p>
              <Badge>{kind}</Badge>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
