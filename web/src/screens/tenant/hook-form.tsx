import { useRef, useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction } from '../../app/load.ts';
import { visible } from '../../text/plain.tsx';
import { Button, Copy, ErrorNote, Sure } from '../../ui/parts.tsx';
import { HIDDEN } from '../../../../src/session/tenants/hidden-values.ts';
import { HookFields } from './hook-fields.tsx';
import { asStored, bodyOf, field, freshHook, type Hook, hooksOf, repeatsIn, type StoredHooks } from './hooks.ts';
import { SettingsForm } from './settings-form.tsx';
import { useSaving } from './use-saving.ts';

interface Props {
  readonly hooks: StoredHooks;
  readonly hasSecret: boolean;
  readonly version: number;
  readonly onSaved: () => void;
}

/** The hooks of the tenant, and the secret that signs their calls. */
export function HookForm({ hooks: stored, hasSecret, version, onSaved }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  const [hooks, setHooks] = useState(() => hooksOf(stored));
  const saving = useSaving({
    onSaved: ({ hookSecret }) => {
      if (hookSecret !== null && hookSecret !== HIDDEN) setSecret(hookSecret);
      onSaved();
    },
    version,
    fill: (now) => setHooks(hooksOf(now.hooks)),
  });
  const adding = useRef<HTMLButtonElement>(null);
  const change = (next: readonly Hook[]): void => {
    setHooks(next);
    saving.touch();
  };
  const add = (): void => {
    const hook = freshHook();
    saving.focusNext(field(hook, 'event'));
    change([...hooks, hook]);
  };
  const remove = (id: string): void => {
    change(hooks.filter((hook) => hook.id !== id));
    adding.current?.focus();
  };
  const save = async (): Promise<void> => {
    const repeats = repeatsIn(hooks);
    const { body, fields } = bodyOf(hooks);
    if (repeats.at.size > 0) saving.reject(repeats);
    else if (await saving.save({ hooks: body }, fields)) setHooks((now) => (now === hooks ? asStored(now) : now));
  };
  return (
    <>
      <SettingsForm
        label="Hooks"
        sections={['hooks']}
        saving={saving}
        saveLabel="Save the hooks"
        onSave={() => void save()}
        json={bodyOf(hooks, true).body}
        action={
          <Button ref={adding} onClick={add}>
            Add a hook
          </Button>
        }
      >
        <p className="aside">URLs that are called before or after a step of a turn, and that may change or stop it.</p>
        <div className="entry-list">
          {hooks.map((hook, index) => (
            <HookFields
              key={hook.id}
              hook={hook}
              title={`Hook ${index + 1}`}
              faults={saving.faults}
              onChange={(next) => change(hooks.map((one) => (one.id === next.id ? next : one)))}
              onRemove={() => remove(hook.id)}
              focusNext={saving.focusNext}
            />
          ))}
        </div>
        {hooks.length === 0 && <p className="aside">The tenant has no hooks of its own.</p>}
      </SettingsForm>
      {(hasSecret || secret !== null) && <Secret made={secret} onMade={setSecret} />}
    </>
  );
}

function Secret({ made, onMade }: { readonly made: string | null; readonly onMade: (secret: string) => void }) {
  const client = useClient();
  const action = useAction();
  return (
    <section className="card" aria-label="Secret of the hooks">
      <h2>Secret of the hooks</h2>
      <p className="aside">
        It signs every call of a hook, so that the receiver can tell who makes it. Once it is replaced, calls are signed with the new one.
      </p>
      {made !== null && (
        <p className="note good" role="status">
          <span>
            Shown this once: <code>{visible(made)}</code>
          </span>
          <Copy text={made} />
        </p>
      )}
      <div className="line">
        <span className="spacer" />
        <Sure
          label="Replace"
          about="the secret of the hooks"
          onSure={() => void action.run(async () => onMade((await client.rotateHookSecret({ body: {} })).hookSecret))}
        />
      </div>
      <ErrorNote error={action.error} />
    </section>
  );
}
