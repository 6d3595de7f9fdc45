/** Sentiment keywords of a prompt; used for metrics only. */
export interface Keywords {
  /** The user is dissatisfied. */
  readonly negative: boolean;
  /** The user asks to continue. */
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

/** Counted only when they are the whole text. */
const KEEP_GOING_ALONE: ReadonlySet<string> = new Set(['continue', 'proceed']);

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*/gu;

/** Matches whole words, and pairs separated by white space only, ignoring case. Linear in the text's length. */
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
