import { Injectable } from '@nestjs/common';

/** Whether the process is shutting down: it finishes open requests, and readiness fails so that a load balancer sends no new ones. */
@Injectable()
export class Drain {
  #begun = false;

  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    this.#begun = true;
  }
}
