import { useClient } from '../../app/account.tsx';
import { useLoad } from '../../app/load.ts';
import { usePeople } from '../../app/people.ts';
import { fullTime } from '../../app/words.ts';
import { Button } from '../../ui/parts.tsx';

interface Props {
  /** What the form would have changed. */
  readonly sections: readonly string[];
  readonly isBusy: boolean;
  readonly onRefill: () => void;
}

/** Another admin was first: nothing was saved, and the form may be filled with what is stored now. */
export function Outdated({ sections, isBusy, onRefill }: Props) {
  const client = useClient();
  const nameOf = usePeople();
  const { data } = useLoad((signal) => client.listSettingsChanges({ limit: 100 }, { signal }), [client, sections]);
  const change = data?.data.find((one) => one.sections.some((name) => sections.includes(name)));
  const who = change === undefined ? 'Someone' : change.changedBy === null ? 'The server' : nameOf(change.changedBy);
  return (
    <div className="note warn" role="alert">
      <div>
        <strong>Nothing was saved.</strong> {who} has changed this{change && ` at ${fullTime(change.changedAt)}`}, after it was read for this page. Load what is
        stored now, and change it again; what you have written here is lost then.
      </div>
      <Button disabled={isBusy} onClick={onRefill}>
        Load what is stored
      </Button>
    </div>
  );
}
