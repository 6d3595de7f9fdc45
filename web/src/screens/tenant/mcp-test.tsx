import type { AnswerOf } from '@verbatim/client';
import { type ReactNode, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { Button, ErrorNote } from '../../ui/parts.tsx';
import { type Faults, faultsIn, NO_FAULTS } from './faults.tsx';
import { fieldsOfServer, nameField, type Server, serverBody } from './mcp-servers.ts';

interface Props {
  readonly server: Server;
  readonly title: string;
  /** What is wrong with the server as it is written. */
  readonly onFaults: (faults: Faults) => void;
  /** Further buttons of the server. */
  readonly children: ReactNode;
}

/** Tries a server as it is written, before it is saved, and shows what it offers. */
export function McpTest({ server, title, onFaults, children }: Props) {
  const client = useClient();
  const action = useAction();
  const [tried, setTried] = useState<{ readonly of: Server; readonly result: AnswerOf<'testMcpServer'> } | null>(null);
  const [hasFaults, setHasFaults] = useState(false);
  const test = async (): Promise<void> => {
    setTried(null);
    let faults = NO_FAULTS;
    await action.run(async () => {
      try {
        const result = await client.testMcpServer({ body: { name: server.name.trim(), ...serverBody(server) } });
        setTried({ of: server, result });
      } catch (error) {
        faults = faultsIn(error, new Map([...fieldsOfServer(server, ''), ['/name', nameField(server)]]));
        throw error;
      }
    });
    setHasFaults(faults.at.size > 0 && !faults.hasOthers);
    onFaults({ ...faults, isOfTest: true });
  };
  const result = tried?.of === server ? tried.result : null; // what is written may have changed since
  return (
    <>
      <div className="line">
        <Button
          aria-label={`Test ${title}`}
          title="Connects to the server as it is written here, before it is saved"
          disabled={action.isBusy}
          onClick={() => void test()}
        >
          {action.isBusy ? 'Testing…' : 'Test'}
        </Button>
        {children}
      </div>
      {!hasFaults && <ErrorNote error={action.error} />}
      <div role="status">
        {result !== null && (
          <div className={`note ${result.problems.length === 0 ? 'good' : 'warn'}`}>
            <div>
              {result.problems.map((problem) => (
                <p key={problem}>{visible(problem)}</p>
              ))}
              {result.tools.length > 0 || result.problems.length === 0 ? <p>It offers {plural(result.tools.length, 'tool')}.</p> : null}
              <ul>
                {result.tools.map(({ name, description, effect }) => (
                  <li key={name}>
                    <code>{visible(name)}</code> ({effect}) {visible(description.slice(0, MAX_DESCRIPTION))}
                  </li>
                ))}
              </ul>
            </div>
          </div>
        )}
      </div>
    </>
  );
}

/** Characters of a description: a page of them helps to choose no server. */
const MAX_DESCRIPTION = 200;
