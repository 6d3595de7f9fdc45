import { Offers } from '../../app/welcome.tsx';
import { Empty } from '../../ui/parts.tsx';
import { Link } from '../../app/router.tsx';
import type { NewSession } from './new-session.ts';

interface Props {
  readonly isFiltered: boolean;
  readonly mayCreate: boolean;
  readonly create: NewSession;
}

/** What an empty list says: an auditor has no conversations, and never will, so that those of others are one press away. */
export function NoRows({ isFiltered, mayCreate, create }: Props) {
  if (isFiltered) {
    return (
      <Empty title="No conversation passes the filters">
        <p>Clear them to see all conversations.</p>
      </Empty>
    );
  }
  if (mayCreate) {
    return (
      <Empty title="No conversations yet">
        <p>Begin one, or import those of Claude Code.</p>
        <Offers create={create} />
      </Empty>
    );
  }
  return (
    <Empty title="No conversations of your own">
      <p>An auditor has none. Of the conversations of all people you can see the requests and the audit, without texts.</p>
      <Link to="/?scope=tenant" className="button primary not-phone">
        List them
      </Link>
      <Offers create={create} />
    </Empty>
  );
}
