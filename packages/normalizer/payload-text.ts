/** A view with a payload, and the payload as it is sent. */
export interface ViewWithPayload {
  readonly payload: object | null;
  readonly body: string;
}

/** The view as JSON. Its payload is the text that is sent, in which inputs of calls stand as they were written. */
export function viewText({ payload: _, body, ...view }: ViewWithPayload): string {
  const text = JSON.stringify(view);
  return `{"payload":${body}${text === '{}' ? '' : ','}${text.slice(1)}`;
}
