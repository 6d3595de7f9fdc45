import { Injectable } from '@nestjs/common';

/** Connects what finds out that schedules of prompts are due with what runs them. */
@Injectable()
export class DueRuns {
  #run: () => void = () => undefined;

  /** `run` is called when a schedule is due, also several times for the same one. It returns at once. */
  provide(run: () => void): void {
    this.#run = run;
  }

  announce(): void {
    this.#run();
  }
}
