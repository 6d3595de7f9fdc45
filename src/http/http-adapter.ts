import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';

/**
 * Express sets the prototype of every request and response, which gives each of them its own hidden classes: 2 KB, for as long as an event stream is open. Here they are
 * made with the prototypes that Express sets, so that it changes nothing.
 */
export class HttpAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<Prototypes>();
    class Request extends IncomingMessage {}
    class Reply extends ServerResponse {}
    Object.setPrototypeOf(Request.prototype, app.request);
    Object.setPrototypeOf(Reply.prototype, app.response);
    app.request = Request.prototype;
    app.response = Reply.prototype;
    this.httpServer = createServer({ IncomingMessage: Request, ServerResponse: Reply as typeof ServerResponse }, app as never);
  }
}

interface Prototypes {
  request: object;
  response: object;
}
