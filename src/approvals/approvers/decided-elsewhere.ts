/** Why an approver is stopped: another process has decided or answered first. */
export class DecidedElsewhere extends Error {
  constructor() {
    super('it was decided elsewhere');
    this.name = 'DecidedElsewhere';
  }
}
