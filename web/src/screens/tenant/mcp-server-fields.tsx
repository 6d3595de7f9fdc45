import { useState } from 'react';
import { plural } from '../../app/words.ts';
import { Button } from '../../ui/parts.tsx';
import { Entry } from './entry.tsx';
import { describedBy, Fault, type Faults } from './faults.tsx';
import { HeaderFields } from './header-fields.tsx';
import { freshHeader } from './headers.ts';
import { nameField, type Server, urlField } from './mcp-servers.ts';
import { McpTest } from './mcp-test.tsx';

interface Props {
  readonly server: Server;
  /** What the labels call it. */
  readonly title: string;
  readonly faults: Faults;
  readonly onChange: (server: Server) => void;
  readonly onRemove: () => void;
  readonly onFaults: (faults: Faults) => void;
  readonly focusNext: (id: string) => void;
}

/** One MCP server: its name, its address and the headers that it is sent. */
export function McpServerFields({ server, title, faults, onChange, onRemove, onFaults, focusNext }: Props) {
  const { name, url, headers } = server;
  const [isNew] = useState(name === '');
  const adder = `${server.id}-add`;
  const add = (): void => {
    const header = freshHeader();
    focusNext(header.id);
    onChange({ ...server, headers: [...headers, header] });
  };
  return (
    <Entry
      title={title}
      name={name.trim() || 'New server'}
      about={url}
      facts={[headers.length === 0 ? '' : plural(headers.length, 'header')]}
      isNew={isNew}
      hasFault={[nameField(server), urlField(server), ...headers.map(({ id }) => id)].some((id) => faults.at.has(id))}
      onRemove={onRemove}
    >
      <label>
        Name
        <input
          id={nameField(server)}
          value={name}
          spellCheck={false}
          autoCapitalize="off"
          onChange={({ target }) => onChange({ ...server, name: target.value })}
          {...describedBy(nameField(server), faults)}
        />
      </label>
      <Fault field={nameField(server)} faults={faults} />
      <label>
        URL
        <input
          id={urlField(server)}
          value={url}
          inputMode="url"
          spellCheck={false}
          autoCapitalize="off"
          placeholder="https://"
          onChange={({ target }) => onChange({ ...server, url: target.value })}
          {...describedBy(urlField(server), faults)}
        />
      </label>
      <Fault field={urlField(server)} faults={faults} />
      <HeaderFields
        headers={headers}
        title={title}
        faults={faults}
        onChange={(next) => onChange({ ...server, headers: next })}
        adder={adder}
        focusNext={focusNext}
      />
      <McpTest server={server} title={title} onFaults={onFaults}>
        <Button id={adder} aria-label={`Add a header to ${title}`} onClick={add}>
          Add a header
        </Button>
      </McpTest>
    </Entry>
  );
}
