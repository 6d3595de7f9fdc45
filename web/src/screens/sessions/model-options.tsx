import type { ModelOptions } from '@verbatim/client';
import { useState } from 'react';
import { useClient } from '../../app/account.tsx';
import { useAction, useLoad } from '../../app/load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Button, ErrorNote, Loading } from '../../ui/parts.tsx';

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** Parameters of the requests of a conversation. Those that the form does not show stay as they are. */
export function ModelOptionsDialog({ id, onClose }: Props) {
  const client = useClient();
  const session = useLoad((signal) => client.getSession({ id }, { signal }), [client, id]);
  return (
    <Dialog title="Options of the model" onClose={onClose}>
      <ErrorNote error={session.error} />
      {session.data ? <Form id={id} before={session.data.modelOptions ?? {}} onClose={onClose} /> : <Loading what="the options" />}
    </Dialog>
  );
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const THINKING = { enabled: 'always', adaptive: 'as much as it needs', between_tools: 'between tool calls', disabled: 'not at all' } as const;
const OWN = '';

function Form({ id, before, onClose }: Props & { readonly before: ModelOptions }) {
  const client = useClient();
  const action = useAction();
  const [effort, setEffort] = useState<string>(before.effort ?? OWN);
  const [thinking, setThinking] = useState<string>(before.thinking?.type ?? OWN);
  const [stops, setStops] = useState((before.stop_sequences ?? []).join('\n'));
  const save = async (): Promise<void> => {
    const modelOptions = changed(before, effort, thinking, stops);
    if (await action.run(() => client.updateSession({ id, body: { modelOptions: Object.keys(modelOptions).length === 0 ? null : modelOptions } }))) onClose();
  };
  return (
    <form
      className="choices"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label>
        Effort
        <select value={effort} onChange={(event) => setEffort(event.target.value)}>
          <option value={OWN}>as the model does by itself</option>
          {EFFORTS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Thinking
        <select value={thinking} onChange={(event) => setThinking(event.target.value)}>
          <option value={OWN}>as the model does by itself</option>
          {Object.entries(THINKING).map(([type, label]) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Stop before these texts, one a line
        <textarea rows={2} value={stops} onChange={(event) => setStops(event.target.value)} />
      </label>
      <ErrorNote error={action.error} />
      <p className="aside">For the requests from now on. What the model does not accept is replaced or left out, and each request says so.</p>
      <Button type="submit" look="primary" disabled={action.isBusy}>
        Save
      </Button>
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
