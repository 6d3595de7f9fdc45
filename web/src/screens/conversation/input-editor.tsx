import { Button } from '../../ui/parts.tsx';
import { visible } from '../../text/plain.tsx';

/** The input of a call while it is edited: its members in a field each, a text as it is and anything else as JSON; or the whole as JSON, to add a member or take one away. */
export interface EditedInput {
  readonly original: Readonly<Record<string, unknown>>;
  /** By member. */
  readonly fields: Readonly<Record<string, string>>;
  /** Null: the fields count. */
  readonly json: string | null;
}

export function beginEdit(input: unknown): EditedInput {
  const original = isObject(input) ? input : {};
  const fields = Object.fromEntries(
    Object.entries(original).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value, null, 2)]),
  );
  return { original, fields, json: Object.keys(original).length === 0 ? '{}' : null };
}

/** The input as it is edited; null: what stands there is none. */
export function editedInput({ original, fields, json }: EditedInput): Readonly<Record<string, unknown>> | null {
  if (json !== null) {
    const value = parsed(json);
    return isObject(value) ? value : null;
  }
  const members = Object.entries(fields).map(([name, text]) => [name, typeof original[name] === 'string' ? text : parsed(text)] as const);
  return members.some(([, value]) => value === undefined) ? null : Object.fromEntries(members);
}

interface Props {
  readonly edited: EditedInput;
  readonly onChange: (edited: EditedInput) => void;
}

export function InputEditor({ edited, onChange }: Props) {
  const { original, fields, json } = edited;
  const value = editedInput(edited);
  if (json !== null) {
    return (
      <div className="input-editor">
        <label>
          Input of the call, as JSON
          <textarea
            className="mono"
            rows={rows(json)}
            value={json}
            aria-invalid={value === null}
            onChange={({ target }) => onChange({ ...edited, json: target.value })}
          />
        </label>
        {value === null && <p className="aside">The input is a JSON object.</p>}
      </div>
    );
  }
  return (
    <div className="input-editor">
      {Object.entries(fields).map(([name, text]) => {
        const isWrong = typeof original[name] !== 'string' && parsed(text) === undefined;
        return (
          <label key={name}>
            {visible(name)}
            <textarea
              className="mono"
              rows={rows(text)}
              value={text}
              aria-invalid={isWrong}
              onChange={({ target }) => onChange({ ...edited, fields: { ...fields, [name]: target.value } })}
            />
            {isWrong && <span className="aside">This member is JSON.</span>}
          </label>
        );
      })}
      <Button look="quiet" disabled={value === null} onClick={() => onChange({ ...edited, json: JSON.stringify(value, null, 2) })}>
        Edit as JSON
      </Button>
    </div>
  );
}

const rows = (text: string): number => Math.min(12, text.split('\n').length);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
