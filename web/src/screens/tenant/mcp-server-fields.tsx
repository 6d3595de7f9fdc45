import { Button } from '../../ui/parts.tsx';
import { describedBy, Fault, type Faults } from './faults.tsx';
import { freshHeader, type Header, nameField, type Server, urlField } from './mcp-servers.ts';

interface Props {
  readonly server: Server;
  /** What the labels call it. */
  readonly title: string;
  readonly faults: Faults;
  readonly onChange: (server: Server) => void;
  readonly onRemove: () => void;
  readonly focusNext: (id: string) => void;
}

/** One MCP server: its name, its address and the headers that it is sent. */
export function McpServerFields({ server, title, faults, onChange, onRemove, focusNext }: Props) {
  const { name, url, headers } = server;
  const adder = `${server.id}-add`;
  const add = (): void => {
    const header = freshHeader();
    focusNext(header.id);
    onChange({ ...server, headers: [...headers, header] });
  };
  const change = (header: Header): void => onChange({ ...server, headers: headers.map((one) => (one.id === header.id ? header : one)) });
  const remove = (id: string): void => {
    focusNext(adder);
    onChange({ ...server, headers: headers.filter((header) => header.id !== id) });
  };
  return (
    <fieldset className="mcp-server">
      <legend>{title}</legend>
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
      <ul className="rules">
        {headers.map((header, index) => (
          <li key={header.id} className="rule header">
            <input
              id={header.id}
              aria-label={`Name of header ${index + 1} of ${title}`}
              placeholder="Name"
              value={header.name}
              spellCheck={false}
              autoCapitalize="off"
              onChange={({ target }) => change({ ...header, name: target.value })}
              {...describedBy(header.id, faults)}
            />
            <input
              type="password"
              aria-label={`Value of header ${index + 1} of ${title}`}
              placeholder={header.isStored ? 'stored, and not shown' : 'Value'}
              value={header.value}
              autoComplete="new-password"
              onChange={({ target }) => change({ ...header, value: target.value })}
              {...describedBy(header.id, faults)}
            />
            <Button aria-label={`Remove header ${index + 1} of ${title}`} onClick={() => remove(header.id)}>
              Remove
            </Button>
            <Fault field={header.id} faults={faults} />
          </li>
        ))}
      </ul>
      <div className="line">
        <Button id={adder} aria-label={`Add a header to ${title}`} onClick={add}>
          Add a header
        </Button>
        <span className="spacer" />
        <Button look="danger" aria-label={`Remove ${title}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
