// Serves the page and the client that it imports: `node examples/chat-page/serve.mjs [port]`, by default 8000.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const port = Number(process.argv[2] ?? 8000);
const page = new URL('index.html', import.meta.url);
const client = new URL('../../clients/typescript/dist/', import.meta.url);

const server = createServer((request, response) => {
  const name = /^\/client\/([\w-]+\.js)$/.exec(request.url ?? '')?.[1];
  readFile(name === undefined ? page : new URL(name, client)).then(
    (bytes) => response.setHeader('content-type', name === undefined ? 'text/html' : 'text/javascript').end(bytes),
    () => response.writeHead(404).end(),
  );
});
server.listen(port, '127.0.0.1', () => {
  const token = 'the text of .data/dev-token';
  process.stdout.write(`http://localhost:${server.address().port}/#api=http://127.0.0.1:3000&token=<${token}>\n`);
});
