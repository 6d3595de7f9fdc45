import type { NewSession } from '../screens/sessions/new-session.ts';
import { Button } from '../ui/parts.tsx';
import { Link } from './router.tsx';

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

/** What one begins with. */
export function Offers({ create }: { readonly create: NewSession }) {
  return (
    <ul className="offers">
      <li>
        <Button look="primary" disabled={create.isBusy} onClick={() => void create.run()}>
          New conversation
        </Button>
        <p>Ask something, or choose a conversation of the list.</p>
      </li>
      <li>
        <Link to="/import" className="button plain">
          Import conversations
        </Link>
        <p>Your sessions of Claude Code, a file or a whole folder, and exports of this server.</p>
      </li>
      <li>
        <Link to="/try" className="button plain">
          Try a payload
        </Link>
        <p>Does the model API refuse a request of yours? See what would be changed, and why. Nothing is stored.</p>
      </li>
    </ul>
  );
}
