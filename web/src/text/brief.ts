/** The words of a text for one line: without the signs of Markdown. */
export const wordsOf = (markdown: string): string =>
  withoutMarks(
    markdown
      .replace(/^[\s#>*-]+/, '')
      .replace(/```\w*/g, ' ')
      .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
      .replace(/\|(?:\s*:?-{2,}:?\s*\|)+/g, ' ')
      .replace(/\s*\|\s*/g, ' ')
      .replace(/(^|\s)#{1,6}\s/g, '$1'),
  ).trim();

/** A part of a text without the signs of Markdown that stand inside of a line. */
export const withoutMarks = (part: string): string => part.replace(/\*\*|`+/g, '');
