import type { ModelOptions, Session } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** What the requests of a conversation are made with. Options of the model that the form does not show stay as they are. */
export function SettingsDialog({ id, onClose }: Props) {
  const client = useClient();
  const session = useLoad((signal) => client.getSession({ id }, { signal }), [client, id]);
  return (
    <Dialog title="Settings of the conversation" onClose={onClose}>
      <ErrorNote error={session.error} onRetry={session.reload} />
      {session.data ? <Form id={id} session={session.data} onClose={onClose} /> : !session.error && <Loading what="the settings" shape="lines" />}
    </Dialog>
  );
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const THINKING = { enabled: 'always', adaptive: 'as much as it needs', between_tools: 'between tool calls', disabled: 'not at all' } as const;
const OWN = '';

/** What becomes of tool calls that no rule decides. */
export const MODES = {
  default: 'asks before a tool changes something',
  acceptEdits: 'edits files without asking',
  plan: 'only plans',
  bypassPermissions: 'runs tools without asking',
} as const;

function Form({ id, session, onClose }: Props & { readonly session: Session }) {
  const before = session.modelOptions ?? {};
  const client = useClient();
  const action = useAction();
  const [model, setModel] = useState(session.model);
  const [mode, setMode] = useState<Session['permissionMode']>(session.permissionMode);
  const [system, setSystem] = useState(session.system ?? '');
  const [effort, setEffort] = useState<string>(before.effort ?? OWN);
  const [thinking, setThinking] = useState<string>(before.thinking?.type ?? OWN);
  const [stops, setStops] = useState((before.stop_sequences ?? []).join('\n'));
  const save = async (): Promise<void> => {
    const modelOptions = changed(before, effort, thinking, stops);
    // Only what was changed here: others may have changed the rest since the dialog was opened.
    const body = {
      ...(model.trim() === session.model ? {} : { model: model.trim() }),
      ...(mode === session.permissionMode ? {} : { permissionMode: mode }),
      ...(system === (session.system ?? '') ? {} : { system: system.trim() === '' ? null : system }),
      ...(JSON.stringify(modelOptions) === JSON.stringify(before) ? {} : { modelOptions: Object.keys(modelOptions).length === 0 ? null : modelOptions }),
    };
    if (Object.keys(body).length === 0 || (await action.run(() => client.updateSession({ id, body })))) onClose();
  };
  return (
    <form
      className="token-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label>
        Model
        <input value={model} required maxLength={200} spellCheck={false} autoCapitalize="off" onChange={(event) => setModel(event.target.value)} />
      </label>
      <label>
        Permission mode, for tool calls that no rule decides
        <select value={mode} onChange={(event) => setMode(event.target.value as Session['permissionMode'])}>
          {Object.entries(MODES).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Instructions for the model, in this conversation
        <textarea rows={3} value={system} onChange={(event) => setSystem(event.target.value)} />
      </label>
      <div className="pair-of-fields">
        <label>
          Effort
          <select value={effort} onChange={(event) => setEffort(event.target.value)}>
            <option value={OWN}>default of the model</option>
            {EFFORTS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          Thinking
          <select value={thinking} onChange={(event) => setThinking(event.target.value)}>
            <option value={OWN}>default of the model</option>
            {Object.entries(THINKING).map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <label>
        Stop sequences, one per line
        <textarea rows={2} value={stops} onChange={(event) => setStops(event.target.value)} />
      </label>
      <ErrorNote error={action.error} />
      <p className="aside">For the requests from now on. What the model does not accept is replaced or left out, and each request says so.</p>
      <div className="form-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={action.isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}

function changed(before: ModelOptions, effort: string, thinking: string, stops: string): ModelOptions {
  const { effort: _, thinking: old, stop_sequences: __, ...rest } = before;
  const { type: ___, budget_tokens, ...shown } = old ?? {};
  const mode = {
    ...shown,
    ...(thinking === OWN ? {} : { type: thinking as NonNullable<typeof old>['type'] & string }),
    ...(budget_tokens !== undefined && thinking === 'enabled' ? { budget_tokens } : {}),
  };
  const stop_sequences = stops.split('\n').filter((line) => line.trim() !== '');
  return {
    ...rest,
    ...(effort === OWN ? {} : { effort: effort as (typeof EFFORTS)[number] }),
    ...(Object.keys(mode).length === 0 ? {} : { thinking: mode }),
    ...(stop_sequences.length === 0 ? {} : { stop_sequences }),
  };
}
