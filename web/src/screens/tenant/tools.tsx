import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Badge, ErrorNote, Loading } from '../../ui/parts.tsx';

const TONES = { read: 'good', edit: 'warn', run: 'bad' } as const;

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
          {source}: {problem}
        </p>
      ))}
      <section className="card" aria-label="Tools">
        <h2>Tools</h2>
        {!tools.data && <Loading what="the tools" />}
        {tools.data?.data.length === 0 && <p className="aside">The server offers none: TOOLS and MCP_FILE name them.</p>}
        <ul className="lines">
          {tools.data?.data.map(({ name, description, source, effect }) => (
            <li key={name}>
              <strong>{visible(name)}</strong> <Badge tone={TONES[effect]}>{effect}</Badge> <span className="aside">{source}</span>
              <p className="session-brief wrap">{visible(description)}</p>
            </li>
          ))}
        </ul>
      </section>
      <section className="card" aria-label="Skills">
        <h2>Skills and commands</h2>
        {skills.data?.data.length === 0 && <p className="aside">None is installed.</p>}
        <ul className="lines">
          {skills.data?.data.map(({ name, description, kind }) => (
            <li key={name}>
              <strong>/{visible(name)}</strong> <span className="aside">{kind}</span>
              <p className="session-brief wrap">{visible(description)}</p>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
