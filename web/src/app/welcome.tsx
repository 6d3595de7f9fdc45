import { useId } from 'react';
import type { NewSession } from '../screens/sessions/new-session.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { type Me, useAccount } from './account.tsx';
import { Link } from './router.tsx';

/** Whether the person may begin conversations: auditors look into those of others. */
export const mayBegin = ({ role }: Pick<Me, 'role'>): boolean => role !== 'auditor';

/** What the console offers to those who have chosen nothing yet. */
export function Welcome({ create }: { readonly create: NewSession }) {
  return (
    <div className="welcome">
      <h2>Every conversation, exactly as it happened</h2>
      <p>For each answer you can see what the model was sent, block by block, and why it differs from what is stored.</p>
      <Offers create={create} />
    </div>
  );
}

/** What one begins with: the whole row is the button, or the link. */
export function Offers({ create }: { readonly create: NewSession }) {
  const id = useId();
  const mayCreate = mayBegin(useAccount().me);
  const names = (offer: string) => ({ className: 'offer', 'aria-labelledby': `${id}${offer}`, 'aria-describedby': `${id}${offer}-about` });
  const about = (offer: string, icon: IconName, title: string, text: string, shortcut?: string) => (
    <>
      <span className="offer-icon">
        <Icon name={icon} />
      </span>
      <span>
        <strong id={id + offer}>{title}</strong>
        <span className="aside" id={`${id}${offer}-about`}>
          {text}
        </span>
      </span>
      {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
    </>
  );
  return (
    <ul className="offers">
      {mayCreate && (
        <>
          <li>
            <button type="button" disabled={create.isBusy} onClick={() => void create.run()} {...names('new')}>
              {about('new', 'plus', 'New conversation', 'Ask something. Each answer shows the request that it came from.', 'n')}
            </button>
          </li>
          <li>
            <Link to="/import" {...names('import')}>
              {about('import', 'import', 'Import conversations', 'Your sessions of Claude Code, a file or a whole folder, and exports of this server.', 'i')}
            </Link>
          </li>
        </>
      )}
      {!mayCreate && (
        <>
          <li>
            <Link to="/?scope=tenant" {...names('everyones')}>
              {about('everyones', 'message', 'Conversations of all people', 'Their requests and their audit, without texts.')}
            </Link>
          </li>
          <li>
            <Link to="/tenant/audit" {...names('audit')}>
              {about(
                'audit',
                'shield',
                'Audit of all logs',
                'Whether the logs are as they were recorded, and what people did: erasures, holds, roles, links, emergency access.',
              )}
            </Link>
          </li>
        </>
      )}
      <li>
        <Link to="/try" {...names('try')}>
          {about('try', 'sent', 'Try a payload', 'Does the model API refuse a request of yours? See what would be changed, and why. Nothing is stored.', 'p')}
        </Link>
      </li>
    </ul>
  );
}
