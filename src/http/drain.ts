import { Injectable } from '@nestjs/common';

/** Whether this process is on its way out: what it has, it finishes, but a load balancer should send it nothing more. */
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
