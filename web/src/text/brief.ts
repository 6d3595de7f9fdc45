/** The words of a text for one line: without the signs of Markdown. */
export const wordsOf = (markdown: string): string =>
  markdown
    .replace(/^[\s#>*`-]+/, '')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/\*\*|`+/g, '')
    .replace(/(^|\s)#{1,6}\s/g, '$1');
