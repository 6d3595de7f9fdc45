import { HOOK_EVENTS, type HookEvent } from '../../../../packages/protocol/hooks/hook-events.ts';
import { useState } from 'react';
import { Button } from '../../ui/parts.tsx';
import { Entry } from './entry.tsx';
import { describedBy, Fault, type Faults } from './faults.tsx';
import { HeaderFields } from './header-fields.tsx';
import { freshHeader } from './headers.ts';
import { field, type Hook, MATCHED } from './hooks.ts';

interface Props {
  readonly hook: Hook;
  /** What the labels call it. */
  readonly title: string;
  readonly faults: Faults;
  readonly onChange: (hook: Hook) => void;
  readonly onRemove: () => void;
  readonly focusNext: (id: string) => void;
}

const WHEN: Readonly<Record<HookEvent, string>> = {
  UserPromptSubmit: 'before a prompt is sent',
  SessionStart: 'when a conversation starts',
  PreToolUse: 'before a tool call',
  PostToolUse: 'after a tool call',
  Stop: 'when the model is about to stop',
  PreCompact: 'before a compaction',
};

/** `Bash, Write` of `Bash|Write`. */
const matchedInWords = (matched: string, matcher: string): string =>
  matcher.trim() === '' ? `all ${matched.toLowerCase()}` : matcher.trim().split('|').join(', ');

const FIELDS = ['event', 'matcher', 'url', 'timeout'] as const;

/** One hook: when it is called, for what, where, and with which headers. */
export function HookFields({ hook, title, faults, onChange, onRemove, focusNext }: Props) {
  const [isNew] = useState(hook.url === '');
  const adder = `${hook.id}-add`;
  const matched = MATCHED[hook.event];
  const add = (): void => {
    const header = freshHeader();
    focusNext(header.id);
    onChange({ ...hook, headers: [...hook.headers, header] });
  };
  const text = (name: 'matcher' | 'url' | 'timeout', label: string, placeholder: string) => (
    <>
      <label>
        {label}
        <input
          id={field(hook, name)}
          value={hook[name]}
          inputMode={name === 'url' ? 'url' : name === 'timeout' ? 'decimal' : undefined}
          spellCheck={false}
          autoCapitalize="off"
          placeholder={placeholder}
          onChange={({ target }) => onChange({ ...hook, [name]: target.value })}
          {...describedBy(field(hook, name), faults)}
        />
      </label>
      <Fault field={field(hook, name)} faults={faults} />
    </>
  );
  return (
    <Entry
      title={title}
      name={`${WHEN[hook.event][0]!.toUpperCase()}${WHEN[hook.event].slice(1)}`}
      about={hook.url}
      facts={[matched === undefined ? '' : matchedInWords(matched, hook.matcher)]}
      isNew={isNew}
      hasFault={[...FIELDS.map((name) => field(hook, name)), ...hook.headers.map(({ id }) => id)].some((id) => faults.at.has(id))}
      onRemove={onRemove}
    >
      <label>
        Called
        <select
          id={field(hook, 'event')}
          value={hook.event}
          onChange={({ target }) => onChange({ ...hook, event: target.value as HookEvent })}
          {...describedBy(field(hook, 'event'), faults)}
        >
          {HOOK_EVENTS.map((event) => (
            <option key={event} value={event}>
              {event}: {WHEN[event]}
            </option>
          ))}
        </select>
      </label>
      <Fault field={field(hook, 'event')} faults={faults} />
      {matched !== undefined && text('matcher', `${matched}, with | between them`, 'every one')}
      {text('url', 'URL', 'https://')}
      {text('timeout', 'Seconds until a call fails', 'the limit of the server')}
      <HeaderFields
        headers={hook.headers}
        title={title}
        faults={faults}
        onChange={(headers) => onChange({ ...hook, headers })}
        adder={adder}
        focusNext={focusNext}
      />
      <div className="line">
        <Button id={adder} aria-label={`Add a header to ${title}`} onClick={add}>
          Add a header
        </Button>
      </div>
    </Entry>
  );
}
