import { Plain, visible } from '../../text/plain.tsx';

/** A command as it is stored: which one, and what was written after it. */
const COMMAND = /^(?:<command-(?:message|name|args)>[^<]*<\/command-(?:message|name|args)>\s*)+$/;

/** What a person wrote: as it was typed, also a command, which is stored with what the model is told about it. */
export function TypedText({ text }: { readonly text: string }) {
  const name = COMMAND.test(text) ? partOf(text, 'name') : '';
  if (name === '') return <Plain text={text} />;
  return (
    <p className="typed-command">
      <code>{visible(name)}</code> {visible(partOf(text, 'args'))}
    </p>
  );
}

const partOf = (text: string, part: 'name' | 'args'): string => new RegExp(`<command-${part}>([^<]*)<`).exec(text)?.[1]?.trim() ?? '';
