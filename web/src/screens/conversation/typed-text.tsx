import { CodeBlock } from '../../text/markdown.tsx';
import { Plain, TEXT_LIMIT, visible } from '../../text/plain.tsx';

/** A command as it is stored: which one, and what was written after it. */
const COMMAND = /^(?:<command-(?:message|name|args)>[^<]*<\/command-(?:message|name|args)>\s*)+$/;

/**
 * What a person wrote: as it was typed, line by line. Only code stands out, as it does in an answer, and nothing else is read as Markdown: a list stays the list
 * that was typed. A command is shown without what is stored with it for the model.
 */
export function TypedText({ text }: { readonly text: string }) {
  const name = COMMAND.test(text) ? partOf(text, 'name') : '';
  if (name !== '') {
    return (
      <p className="typed-command">
        <code>{visible(name)}</code> {visible(partOf(text, 'args'))}
      </p>
    );
  }
  if (text.length > TEXT_LIMIT || !text.includes('`')) return <Plain text={text} />;
  return (
    <div className="markdown typed" dir="auto">
      {text
        .split(FENCED)
        .map((part, index, parts) =>
          index % 3 === 0 ? (
            <Lines key={index} text={part} />
          ) : index % 3 === 1 ? null : (
            <CodeBlock key={index} lang={parts[index - 1]!.trim()} text={part.replace(/\n$/, '')} />
          ),
        )}
    </div>
  );
}

/** A closed block between two lines of three backticks: what is after the first ones, and the lines between. */
const FENCED = /^```([^\n`]*)\n((?:(?!```).*\n)*?)```[ \t]*$\n?/m;

/** Text with code in its lines. */
function Lines({ text }: { readonly text: string }) {
  const lines = text.replace(/^\n+|\n+$/g, '');
  if (lines === '') return null;
  return (
    <div className="plain" dir="auto">
      {lines.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 0 ? visible(part) : <code key={index}>{visible(part)}</code>))}
    </div>
  );
}

const partOf = (text: string, part: 'name' | 'args'): string => new RegExp(`<command-${part}>([^<]*)<`).exec(text)?.[1]?.trim() ?? '';
