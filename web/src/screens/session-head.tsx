import { useRef, useState } from 'react';
import { useClient } from '../app/account.tsx';
import { useCommands } from '../app/commands.ts';
import { useLoad } from '../app/load.ts';
import { Link } from '../app/router.tsx';
import { visible } from '../text/plain.tsx';
import { Icon } from '../ui/icon.tsx';
import { Badge, Status } from '../ui/parts.tsx';
import { Bone } from '../ui/skeleton.tsx';
import type { Snapshot } from './conversation/store.ts';
import { Related } from './related.tsx';
import { clientName } from './request/describe.ts';
import { folderIn } from './sessions/folder-form.tsx';
import { SessionMenu, type Step } from './sessions/menu.tsx';

/** What the palette offers of the menu of a conversation. */
const STEPS: readonly (readonly [label: string, step: Step])[] = [
  ['Rename', 'rename'],
  ['Move to a folder', 'folder'],
  ['Share', 'share'],
  ['Settings: model, tools, instructions', 'settings'],
  ['Schedules', 'schedules'],
  ['Export, or save as Markdown', 'export'],
  ['Erase', 'erase'],
];

/** Title and state of a conversation, and its menu. `title`: null while it is not known. */
export function SessionHead({ snapshot: { session }, title }: { readonly snapshot: Snapshot; readonly title: string | null }) {
  const [open, setOpen] = useState<Step | 'menu' | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  useCommands('This conversation', session ? STEPS.map(([label, step]) => ({ label: `${label}…`, run: () => setOpen(step) })) : []);
  return (
    <div className="session-head">
      <Link to="/" className="round only-phone" aria-label="All conversations">
        <Icon name="back" />
      </Link>
      <h1>{title === null ? <Bone what="The title is loading" /> : <bdi>{visible(title)}</bdi>}</h1>
      {session && (
        <>
          {session.status !== 'idle' && <Status value={session.status} />}
          {session.held && <Badge tone="warn">legal hold</Badge>}
          {session.erased && <Badge tone="bad">erased</Badge>}
          <span className="aside not-phone model-name">{visible(session.model)}</span>
          {session.origin !== null && (
            <span className="aside not-phone" title={`The Anthropic door: ${session.origin.client ?? 'no user agent'}`}>
              from {clientName(session.origin.client)}
            </span>
          )}
          {session.origin !== null && <Related id={session.id} metadata={session.metadata} />}
          {session.forkedFrom && (
            <Origin words="forked from" id={session.forkedFrom.sessionId} query={session.forkedFrom.at ? `?message=${session.forkedFrom.at}` : ''} />
          )}
          {session.parent && <Origin words="helper of" id={session.parent.sessionId} query="" />}
          <button
            ref={button}
            type="button"
            className="round"
            aria-label="Actions of this conversation"
            aria-haspopup="menu"
            aria-expanded={open === 'menu'}
            onClick={() => setOpen('menu')}
          >
            <Icon name="more" />
          </button>
          {open !== null && (
            <SessionMenu
              key={open}
              row={{ ...session, folder: folderIn(session.metadata) }}
              at={button.current!}
              {...(open === 'menu' ? {} : { first: open })}
              beginning={title}
              onClose={() => setOpen(null)}
              onChanged={() => {}}
            />
          )}
        </>
      )}
    </div>
  );
}

/** The conversation that this one came from, by its title where the person may read that. */
function Origin({ words, id, query }: { readonly words: string; readonly id: string; readonly query: string }) {
  const client = useClient();
  const { data } = useLoad((signal) => client.getSession({ id }, { signal }), [client, id]);
  return (
    <Link className="aside origin" to={`/sessions/${id}${query}`}>
      {words} <bdi>{visible(data?.title ?? 'another conversation')}</bdi>
    </Link>
  );
}
