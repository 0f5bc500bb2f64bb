// Does nothing and never ends, as an engine that waits for a server that does not answer.
setInterval(() => {}, 1000);
