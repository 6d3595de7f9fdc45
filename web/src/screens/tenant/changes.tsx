import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { visible } from '../../text/plain.tsx';
import { Button, ErrorNote, Time } from '../../ui/parts.tsx';

/** Sections by the name that the page has for them. */
const NAMES: Readonly<Record<string, string>> = {
  agents: 'agents',
  bypassPermissions: 'tools without asking',
  gates: 'feature gates',
  hooks: 'hooks',
  hookSecret: 'secret of the hooks',
  instructions: 'instructions',
  mcpServers: 'MCP servers',
  memory: 'memory',
  models: 'models',
  permissions: 'permissions',
  plugins: 'plugins',
  quotas: 'limits',
  retentionDays: 'retention',
  skills: 'skills',
  upstreamKey: 'key for the model API',
};

const PAGE = 10;

/** Who has changed what of the settings, and when, newest first. `version`: with another one it is read again. */
export function SettingsChanges({ version }: { readonly version: number }) {
  const client = useClient();
  const nameOf = usePeople();
  const [limit, setLimit] = useState(PAGE);
  const { data, error } = useLoad((signal) => client.listSettingsChanges({ limit }, { signal }), [client, limit, version]);
  return (
    <section className="card" aria-label="Changes of the settings">
      <h2>Changes</h2>
      <ErrorNote error={error} />
      {data?.data.length === 0 && <p className="aside">Nothing has been changed.</p>}
      <ul className="lines">
        {data?.data.map((change) => (
          <li key={change.version} className="line">
            <span className="grow">
              <strong>{change.changedBy === null ? 'The server' : nameOf(change.changedBy)}</strong> changed{' '}
              {change.sections.map((name) => visible(NAMES[name] ?? name)).join(', ')}
            </span>
            <Time value={change.changedAt} />
          </li>
        ))}
      </ul>
      {data?.nextCursor && limit < 100 && (
        <div className="line">
          <Button onClick={() => setLimit(100)}>Show more</Button>
        </div>
      )}
    </section>
  );
}
