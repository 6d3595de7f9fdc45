/** The conversation whose field for prompts takes the focus as soon as it is there; null: none. */
let awaited: string | null = null;
const fields = new Map<string, HTMLElement>();

/** What is typed next is a prompt of this conversation, whether its page is there already or not. */
export function startWriting(id: string): void {
  const field = fields.get(id);
  if (field !== undefined) field.focus();
  else awaited = id;
}

/** The field for prompts of a conversation is there. Returns what says that it is gone. */
export function onField(id: string, field: HTMLElement): () => void {
  fields.set(id, field);
  if (awaited === id) field.focus();
  awaited = null;
  return () => void fields.delete(id);
}
