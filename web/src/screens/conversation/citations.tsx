import { Link } from '../../text/link.tsx';
import { visible } from '../../text/plain.tsx';

type Citation = Readonly<Record<string, unknown>>;

/** The sources of a text, numbered: what was cited, of which document or page, and where in it. */
export function Citations({ citations }: { readonly citations: unknown }) {
  const list = Array.isArray(citations) ? citations.filter((one): one is Citation => typeof one === 'object' && one !== null) : [];
  if (list.length === 0) return null;
  return (
    <ol className="citations" aria-label="Sources">
      {list.slice(0, LIMIT).map((citation, index) => (
        <li key={index}>
          <Source citation={citation} />
          {typeof citation['cited_text'] === 'string' && <q>{visible(citation['cited_text'].slice(0, QUOTE).trim())}</q>}
        </li>
      ))}
      {list.length > LIMIT && <li>{list.length - LIMIT} more</li>}
    </ol>
  );
}

const LIMIT = 50;
/** Characters of a quotation that are shown. */
const QUOTE = 300;

function Source({ citation }: { readonly citation: Citation }) {
  const title = [citation['title'], citation['document_title'], citation['source'], citation['url']].find((one) => typeof one === 'string' && one !== '');
  const name = typeof title === 'string' ? title : `Document ${Number(citation['document_index'] ?? citation['search_result_index'] ?? 0) + 1}`;
  const { url } = citation;
  return (
    <>
      {typeof url === 'string' ? <Link href={url}>{visible(name)}</Link> : <strong>{visible(name)}</strong>} {place(citation)}
    </>
  );
}

/** Pages count from one and end before the last number; characters and blocks count from zero. */
function place({ type, ...citation }: Citation): string {
  const number = (name: string): number => Number(citation[name] ?? 0);
  if (type === 'page_location') {
    const [first, last] = [number('start_page_number'), number('end_page_number') - 1];
    return last > first ? `pages ${first} to ${last}` : `page ${first}`;
  }
  if (type === 'char_location') return `characters ${number('start_char_index')} to ${number('end_char_index')}`;
  return '';
}
