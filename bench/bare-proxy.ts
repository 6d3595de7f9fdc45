/** The least that a proxy does: node:http, bytes piped in both directions. `UPSTREAM=http://… node bare-proxy.js`, in a process of its own. */
import { createServer, request as send, Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

const upstream = new URL(process.env['UPSTREAM'] ?? '');
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const passed = send(
    { agent, host: upstream.hostname, port: upstream.port, method: request.method, path: request.url, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, response, () => undefined);
    },
  );
  pipeline(request, passed, () => undefined);
});

server.listen(0, '127.0.0.1', () => process.stdout.write(`ready on http://127.0.0.1:${(server.address() as AddressInfo).port} \n`));
