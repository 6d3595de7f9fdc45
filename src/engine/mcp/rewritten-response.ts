/** A response of a server, each message in it changed: the whole body of a JSON response, the data of each event of an event stream. */
export async function rewrittenResponse(response: Response, change: (message: string) => string): Promise<Response> {
  const { body } = response;
  if (body === null || !response.ok) return response;
  switch (response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()) {
    case 'application/json':
      return new Response(change(await response.text()), response);
    case 'text/event-stream':
      return new Response(body.pipeThrough(eachEvent(change)), response);
    default:
      return response;
  }
}

/** An event ends with an empty line. A line ends with CR LF, LF, or CR. */
const END = /(?:\r\n|\n|\r(?!\n)){2}/g;
const LINE_END = /\r\n|\n|\r/;
const DATA = /^data: ?/;

function eachEvent(change: (message: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  /** How much of the rest was searched for an end. */
  let searched = 0;
  return new TransformStream({
    transform(chunk, controller) {
      rest += decoder.decode(chunk, { stream: true });
      let start = 0;
      END.lastIndex = searched;
      for (let end = END.exec(rest); end; end = END.exec(rest)) {
        controller.enqueue(encoder.encode(changed(rest.slice(start, END.lastIndex), change)));
        start = END.lastIndex;
      }
      rest = rest.slice(start);
      searched = Math.max(0, rest.length - LONGEST_END);
    },
    flush(controller) {
      controller.enqueue(encoder.encode(rest + decoder.decode()));
    },
  });
}

const LONGEST_END = 4;

/** The same text where `change` changes nothing. */
function changed(event: string, change: (message: string) => string): string {
  const lines = event.split(LINE_END).filter((line) => line !== '');
  const data = lines.flatMap((line) => (DATA.test(line) ? [line.replace(DATA, '')] : [])).join('\n');
  const message = change(data);
  if (message === data) return event;
  return [...lines.filter((line) => !DATA.test(line)), ...message.split('\n').map((line) => `data: ${line}`), '', ''].join('\n');
}
