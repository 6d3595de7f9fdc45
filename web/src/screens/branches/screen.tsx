import type { Branch } from '@verbatim/client';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { useQuery } from '../../app/router.tsx';
import { messagesWithText, plural } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { withoutMarks } from '../../text/brief.ts';
import { Badge, Button, Empty, ErrorNote, Loading, Time } from '../../ui/parts.tsx';
import { Comparison } from './comparison.tsx';

const CAUSES: Readonly<Record<string, string>> = {
  rewind: 'left by a rewind',
  edit: 'left by an edited prompt',
  regenerate: 'left by a regenerated answer',
  restore: 'left when another branch was restored',
  import: 'came with the imported file; imported',
};

/** Every way the conversation went: nothing that was left is lost. */
export function BranchesScreen({ id, version }: { readonly id: string; readonly version: number }) {
  const client = useClient();
  const action = useAction();
  const nameOf = usePeople();
  const [open, setOpen] = useQuery('branch');
  const { data, error, reload } = useLoad((signal) => client.listBranches({ id }, { signal }), [client, id], version);
  if (error) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Loading what="the branches" />;
  const current = data.data.find(({ isCurrent }) => isCurrent);
  const others = data.data.filter(({ isCurrent }) => !isCurrent);
  if (!current) return <Empty title="No messages yet" />;
  const names = namesOf(data.data);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="page" tabIndex={0} role="region" aria-label="Branches">
      <ErrorNote error={action.error} onClose={action.clear} />
      <ol className="tree">
        <li className="branch current" aria-labelledby={current.tip}>
          <div className="branch-head">
            <Name of={current.tip} name={names.get(current.tip)!} />
            <Badge tone="live">current</Badge>
          </div>
          <p className="aside">
            {messagesWithText(current.texts)} · <Time value={current.updatedAt} />
          </p>
        </li>
        {others.map((branch) => (
          <li key={branch.tip} className="branch" aria-labelledby={branch.tip}>
            <div className="branch-head">
              <Name of={branch.tip} name={names.get(branch.tip)!} />
            </div>
            <p className="aside">
              {branch.forkedAfter === null
                ? `${messagesWithText(branch.texts)} from the beginning`
                : `shares ${messagesWithText(branch.texts - branch.ownTexts)}, then has ${plural(branch.ownTexts, 'message')} of its own`}{' '}
              · <Time value={branch.updatedAt} />
            </p>
            {branch.left && (
              <p className="aside">
                {CAUSES[branch.left.cause] ?? `left: ${branch.left.cause}`} by {nameOf(branch.left.by)}, <Time value={branch.left.at} />
                {branch.left.reason && `: ${visible(branch.left.reason)}`}
                {branch.left.files && '; a restore brings its files back, too'}
              </p>
            )}
            <div className="branch-actions">
              <Button
                aria-label={`${open === branch.tip ? 'Hide the comparison with' : 'Compare'} ${names.get(branch.tip)}`}
                aria-expanded={open === branch.tip}
                onClick={() => setOpen(open === branch.tip ? null : branch.tip)}
              >
                {open === branch.tip ? 'Hide the comparison' : 'Compare'}
              </Button>
              <Button
                aria-label={`Restore ${names.get(branch.tip)}`}
                title="The conversation continues on this branch"
                disabled={action.isBusy}
                onClick={() => void action.run(() => client.restoreBranch({ id, tip: branch.tip }))}
              >
                Restore
              </Button>
            </div>
            {open === branch.tip && <Comparison id={id} version={version} branch={branch} current={current} names={names} />}
          </li>
        ))}
      </ol>
      {others.length === 0 && <p className="aside">There is one branch. Edit a prompt, regenerate an answer, or rewind, and the other way stays here.</p>}
    </div>
  );
}

function Name({ of, name }: { readonly of: string; readonly name: string }) {
  return (
    <h2 id={of}>
      <bdi>{name}</bdi>
    </h2>
  );
}

/** By tip: the text that a branch begins with. The second one with the same text has a number. */
function namesOf(branches: readonly Branch[]): ReadonlyMap<string, string> {
  const seen = new Map<string, number>();
  return new Map(
    branches.map(({ tip, first }) => {
      const text = visible(withoutMarks(first?.preview ?? 'Without a text'));
      const count = (seen.get(text) ?? 0) + 1;
      seen.set(text, count);
      return [tip, count === 1 ? text : `${text} (${count})`];
    }),
  );
}
