import type { ReactNode } from 'react';
import { Button, Json } from '../../ui/parts.tsx';
import { FormError } from './faults.tsx';
import { LastChange } from './last-change.tsx';
import { Outdated } from './outdated.tsx';
import type { Saving } from './use-saving.ts';

/** Both groups of people for whom limits and models are set. */
export const SCOPES = [
  ['tenant', 'The tenant as a whole'],
  ['user', 'Each person'],
] as const;

interface Props {
  readonly label: string;
  readonly saving: Saving;
  /** What its button is called for those who do not see where it stands; it begins with Save. */
  readonly saveLabel: string;
  readonly onSave: () => void;
  /** What the form would send. */
  readonly json?: unknown;
  /** More about what is in it. */
  readonly jsonNote?: string | false;
  /** Beside the button that saves. */
  readonly action?: ReactNode;
  /** Members of the settings that it changes: who has changed them last is said. */
  readonly sections?: readonly string[];
  /** There is nothing that could be set, or saved. */
  readonly isEmpty?: boolean;
  readonly children: ReactNode;
}

/** A form for a section of the tenant's settings. */
export function SettingsForm({ label, saving, saveLabel, onSave, json, jsonNote, action, sections = [], isEmpty = false, children }: Props) {
  return (
    <form
      ref={saving.form}
      className="card"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <FormHead label={label} sections={sections} />
      {children}
      {!isEmpty && (
        <div className="line settings-foot">
          {action}
          {json === undefined ? (
            <span className="spacer" />
          ) : (
            <details className="grow">
              <summary>As JSON{jsonNote}</summary>
              <Json value={json} label={`${label} as JSON`} />
            </details>
          )}
          <span role="status" className="aside">
            {saving.isSaved ? 'Saved' : ''}
          </span>
          <Button look={saving.isTouched ? 'primary' : 'plain'} type="submit" aria-label={saveLabel} disabled={saving.isBusy}>
            Save
          </Button>
        </div>
      )}
      {saving.outdated === null ? (
        <FormError error={saving.error} faults={saving.faults} />
      ) : (
        <Outdated sections={saving.outdated} isBusy={saving.isBusy} onRefill={() => void saving.refill()} />
      )}
    </form>
  );
}

function FormHead({ label, sections }: { readonly label: string; readonly sections: readonly string[] }) {
  return (
    <div className="settings-head">
      <h2>{label}</h2>
      <LastChange sections={sections} />
    </div>
  );
}
