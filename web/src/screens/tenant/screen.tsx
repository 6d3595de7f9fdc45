import { type Me, useAccount } from '../../app/account.tsx';
import { visible } from '../../text/plain.tsx';
import { Link, useLocation } from '../../app/router.tsx';
import { Empty } from '../../ui/parts.tsx';
import { useCurrentInView } from '../../ui/use-current-in-view.ts';
import { Memory } from './memory.tsx';
import { People } from './people.tsx';
import { Settings } from './settings.tsx';
import { TenantAudit } from './audit.tsx';
import { Tokens } from './tokens.tsx';
import { Tools } from './tools.tsx';
import { Usage } from './usage.tsx';

const PARTS = [
  ['', 'Tokens', Tokens, 'anyone'],
  ['people', 'People', People, 'admin'],
  ['usage', 'Usage', Usage, 'admin'],
  ['settings', 'Settings', Settings, 'admin'],
  ['tools', 'Tools and skills', Tools, 'anyone'],
  ['memory', 'Memory', Memory, 'anyone'],
  ['audit', 'Audit', TenantAudit, 'admin'],
] as const;

/** The views that a role has. */
export const partsOf = ({ role }: Pick<Me, 'role'>) => PARTS.filter(([, , , who]) => who === 'anyone' || role !== 'member');

/** What concerns the tenant as a whole. */
export function TenantScreen() {
  const { me } = useAccount();
  const { path } = useLocation();
  const name = path.split('/')[2] ?? '';
  const offered = partsOf(me);
  const row = useCurrentInView<HTMLElement>(name);
  const [, , Part] = offered.find(([one]) => one === name) ?? [];
  return (
    <div className="session">
      <div className="session-head">
        <h1>{me.tenantName}</h1>
        <span className="aside">
          {visible(me.userName)}, {me.role}
        </span>
      </div>
      <nav className="tabs" aria-label="Views of the tenant" ref={row}>
        {offered.map(([one, label]) => (
          <Link key={one} to={one === '' ? '/tenant' : `/tenant/${one}`} aria-current={name === one ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="page" tabIndex={0} role="region" aria-label="Tenant">
        {Part ? <Part /> : <Empty title="There is no such view, or your role does not have it" />}
      </div>
    </div>
  );
}
