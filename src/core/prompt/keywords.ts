/** What a prompt's words say of how things go. They are counted, and change nothing. */
export interface Keywords {
  /** The person is displeased. */
  readonly negative: boolean;
  /** The person wants more of the same. */
  readonly keepGoing: boolean;
}

const NEGATIVE: ReadonlySet<string> = new Set([
  'awful',
  'broken',
  'bullshit',
  'crap',
  'crappy',
  'damn',
  'dammit',
  'dreadful',
  'dumb',
  'frustrated',
  'frustrating',
  'fuck',
  'fucked',
  'fucking',
  'garbage',
  'hate',
  'hopeless',
  'horrible',
  'idiot',
  'idiotic',
  'lousy',
  'pathetic',
  'ridiculous',
  'rubbish',
  'shit',
  'shitty',
  'stupid',
  'sucks',
  'terrible',
  'trash',
  'useless',
  'worse',
  'worst',
  'wtf',
  'not working',
  'still broken',
  'still wrong',
  'wrong again',
]);

const KEEP_GOING: ReadonlySet<string> = new Set(['carry on', 'go on', 'keep going', 'keep working', 'please continue']);

/** These count when they are all there is; in a longer text they mean other things. */
const KEEP_GOING_ALONE: ReadonlySet<string> = new Set(['continue', 'proceed']);

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*/gu;

/** Whole words, and pairs with nothing but blanks between them, in upper or lower case. Reads the text once. */
export function keywordsIn(text: string): Keywords {
  let negative = false;
  let keepGoing = false;
  let words = 0;
  let before = '';
  let end = 0;
  for (const found of text.matchAll(WORD)) {
    const word = found[0].toLowerCase();
    const pair = words > 0 && text.slice(end, found.index).trim() === '' ? `${before} ${word}` : '';
    negative ||= NEGATIVE.has(word) || NEGATIVE.has(pair);
    keepGoing ||= KEEP_GOING.has(pair);
    before = word;
    end = found.index + found[0].length;
    words += 1;
  }
  return { negative, keepGoing: keepGoing || (words === 1 && KEEP_GOING_ALONE.has(before)) };
}
