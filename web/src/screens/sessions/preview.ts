import { wordsOf } from '../../text/brief.ts';

/** The head of a table and the line below it, in a text without line ends: as many cells as the line has marks. */
function withoutTableHead(text: string): string {
  const line = /\|(?:\s*:?-{2,}:?\s*\|)+/.exec(text);
  if (line === null) return text;
  const cells = line[0].split('|').length - 2;
  const head = new RegExp(`(?:\\|[^|]*){${cells}}\\|\\s*$`).exec(text.slice(0, line.index));
  return `${text.slice(0, head?.index ?? line.index)} ${text.slice(line.index + line[0].length)}`;
}

/** A list after a colon, in a text without line ends: its entries with semicolons between them. */
const withoutBullets = (list: string): string => list.replace(/:\s+[-*] /, ': ').replace(/(?<=[^\s])[;,]?\s+[-*] (?=\S)/g, '; ');

/** What the list shows of a text: its first words that can be read. What is no prose, such as code, is left out where anything else is there. */
export function previewOf(text: string): string {
  const prose = text
    .replace(/^\s*---\s.*?(?:\s---(?:\s|$)|$)/s, '')
    .replace(/```.*?(?:```|$)/gs, ' ')
    .replace(/\$\$.*?(?:\$\$|$)/gs, '… ')
    .replace(/^\s*[\w-]+ returned: [“"](.*?)[”"]?\s*$/s, '$1')
    .replace(/(^|\s)[-*] \[[ x]\] /g, '$1')
    .replace(/:\s+[-*] .*/s, withoutBullets);
  const words = wordsOf(withoutTableHead(prose).replace(/(?<=\S)\s*\|\s*\|?\s*(?=[^\s|])/g, ', ')).replace(/\s+/g, ' ');
  return /[\p{L}\p{N}]/u.test(words) ? words : wordsOf(text);
}
