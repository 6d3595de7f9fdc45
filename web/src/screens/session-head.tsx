import { useRef, useState } from 'react';
import { useCommands } from '../app/commands.ts';
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
          <span className="aside not-phone">{session.model}</span>
          {session.origin !== null && (
            <span className="aside not-phone" title={`The Anthropic door: ${session.origin.client ?? 'no user agent'}`}>
              from {clientName(session.origin.client)}
            </span>
          )}
          {session.origin !== null && <Related id={session.id} metadata={session.metadata} />}
          {session.forkedFrom && (
            <Link className="aside" to={`/sessions/${session.forkedFrom.sessionId}${session.forkedFrom.at ? `?message=${session.forkedFrom.at}` : ''}`}>
              forked from
            </Link>
          )}
          {session.parent && (
            <Link className="aside" to={`/sessions/${session.parent.sessionId}`}>
              helper of
            </Link>
          )}
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
