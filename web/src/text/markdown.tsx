import type { Token, Tokens } from 'marked';
import { memo, type ReactNode, useMemo } from 'react';
import { Copy } from '../ui/parts.tsx';
import { Code } from './code.tsx';
import { FootnoteMark, Footnotes, labelsOf } from './footnotes.tsx';
import { Link } from './link.tsx';
import { Math } from './math.tsx';
import { Plain, TEXT_LIMIT, visible } from './plain.tsx';
import { type FootnoteToken, type MathToken, parsed } from './syntax.ts';

/**
 * Markdown as elements. No text ever becomes markup: HTML in it is shown as written, links lead to web pages and mail addresses only, and images of other hosts are
 * links. While an answer streams, only its last block is rendered again.
 */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => (text.length > TEXT_LIMIT ? null : parsed(text)), [text]);
  const labels = useMemo(() => labelsOf(blocks ?? []), [blocks]);
  if (blocks === null) return <Plain text={text} />;
  return (
    <Footnotes value={labels}>
      <div className="markdown" dir="auto">
        {blocks.map((token, index) => (
          <Block key={index} raw={token.raw} token={token} />
        ))}
      </div>
    </Footnotes>
  );
});

interface BlockProps {
  readonly raw: string;
  readonly token: Token;
}

const Block = memo(
  function Block({ token }: BlockProps) {
    return block(token);
  },
  (before, after) => before.raw === after.raw && before.token.type === after.token.type,
);

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // Texts skip levels, which the outline of a page must not.
      return <h2 className={`level-${(token as Tokens.Heading).depth}`}>{inline(token.tokens)}</h2>;
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'code':
      return <CodeBlock {...(token as Tokens.Code)} />;
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'math-block':
      return <Math text={(token as MathToken).text} raw={token.raw.trim()} isBlock />;
    case 'footnote':
      return (
        <div className="footnote" tabIndex={-1} data-footnote={(token as FootnoteToken).label}>
          <sup>{visible((token as FootnoteToken).label)}</sup> {inline(token.tokens)}
        </div>
      );
    case 'text':
      return 'tokens' in token && token.tokens ? <>{inline(token.tokens)}</> : visible((token as Tokens.Text).raw);
    default:
      return <p className="raw">{visible(token.raw)}</p>;
  }
}

const blocks = (tokens: readonly Token[] = []): ReactNode => tokens.map((token, index) => <Block key={index} raw={token.raw} token={token} />);

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, index) => (
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task && <span aria-hidden="true">{item.checked ? '☑ ' : '☐ '}</span>}
      {blocks(item.tokens.filter(({ type }) => type !== 'checkbox'))}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{rows}</ol> : <ul>{rows}</ul>;
}

function table({ header, rows, align }: Tokens.Table): ReactNode {
  const cell = (index: number) => (align[index] ? { className: `align-${align[index]}` } : {});
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, index) => (
              <th key={index} scope="col" {...cell(index)}>
                {inline(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map(({ tokens }, index) => (
                <td key={index} {...cell(index)}>
                  {inline(tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function CodeBlock({ text, lang: info }: Pick<Tokens.Code, 'text' | 'lang'>) {
  const lang = /^\S*/.exec(info ?? '')![0];
  return (
    <div className="code">
      <div className="code-head">
        <span>{visible(info ?? '')}</span>
        <Copy text={text} look="quiet" />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={lang ? `Code: ${lang}` : 'Code'}>
        <code>
          <Code code={text} lang={lang.toLowerCase()} />
        </code>
      </pre>
    </div>
  );
}

function inline(tokens: readonly Token[] = []): ReactNode {
  return tokens.map((token, index) => <Inline key={index} token={token} />);
}

function Inline({ token }: { readonly token: Token }): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <del>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code>{visible((token as Tokens.Codespan).text)}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{inline(token.tokens)}</Link>;
    case 'image':
      return <Link href={(token as Tokens.Image).href}>[image: {visible((token as Tokens.Image).text || 'without description')}]</Link>;
    case 'math':
      return <Math text={(token as MathToken).text} raw={token.raw} isBlock={false} />;
    case 'footnote-mark':
      return <FootnoteMark label={(token as FootnoteToken).label} raw={token.raw} />;
    case 'escape':
      return visible((token as Tokens.Escape).text);
    case 'text':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : visible((token as Tokens.Text).raw);
    default:
      return visible(token.raw);
  }
}
