import { useRef, useState } from 'react';
import { Link } from '../../app/router.tsx';
import { visible } from '../../text/plain.tsx';
import { Button } from '../../ui/parts.tsx';
import { McpServerFields } from './mcp-server-fields.tsx';
import { asStored, bodyOf, fieldsOf, freshServer, nameField, repeatsIn, type Server, type Servers, serversOf } from './mcp-servers.ts';
import { SettingsForm } from './settings-form.tsx';
import { useSaving } from './use-saving.ts';

interface Props {
  readonly servers: Servers;
  readonly version: number;
  readonly onSaved: () => void;
}

/** The MCP servers of the tenant. Values of headers are written here, and never shown. */
export function McpForm({ servers: stored, version, onSaved }: Props) {
  const [servers, setServers] = useState(() => serversOf(stored));
  const saving = useSaving({ onSaved, version, fill: ({ mcpServers }) => setServers(serversOf(mcpServers)) });
  const adding = useRef<HTMLButtonElement>(null);
  const change = (next: readonly Server[]): void => {
    setServers(next);
    saving.touch();
  };
  const add = (): void => {
    const server = freshServer();
    saving.focusNext(nameField(server));
    change([...servers, server]);
  };
  const remove = (id: string): void => {
    change(servers.filter((server) => server.id !== id));
    adding.current?.focus();
  };
  const save = async (): Promise<void> => {
    const repeats = repeatsIn(servers);
    if (repeats.at.size > 0) saving.reject(repeats);
    else if (await saving.save({ mcpServers: bodyOf(servers) }, fieldsOf(servers))) setServers((now) => (now === servers ? asStored(now) : now));
  };
  return (
    <SettingsForm
      label="MCP servers"
      sections={['mcpServers']}
      saving={saving}
      saveLabel="Save the MCP servers"
      onSave={() => void save()}
      json={bodyOf(servers, true)}
      action={
        <Button ref={adding} onClick={add}>
          Add a server
        </Button>
      }
    >
      <p className="aside">
        Servers whose tools every conversation of the tenant can use, over HTTP. <Link to="/tenant/tools">Tools and skills</Link> lists what each server offers,
        and why one offers nothing.
      </p>
      <div className="entry-list">
        {servers.map((server, index) => (
          <McpServerFields
            key={server.id}
            server={server}
            title={`Server ${index + 1}${server.name.trim() && `, ${visible(server.name.trim())}`}`}
            faults={saving.faults}
            onChange={(next) => change(servers.map((one) => (one.id === next.id ? next : one)))}
            onRemove={() => remove(server.id)}
            onFaults={saving.reject}
            focusNext={saving.focusNext}
          />
        ))}
      </div>
      {servers.length === 0 && <p className="aside">The tenant has no servers of its own.</p>}
    </SettingsForm>
  );
}
