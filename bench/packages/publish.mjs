// A Bun server whose WebSockets all subscribe to one topic. It listens on the port in PORT. POST /publish?from=0&to=100
// publishes 100 messages, the same as those of bench/load/vote-event.ts.
Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  fetch(request, server) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/ws') return server.upgrade(request) ? undefined : new Response(null, { status: 400 });
    if (pathname === '/publish') {
      for (let index = Number(searchParams.get('from')); index < Number(searchParams.get('to')); index += 1) {
        const id = `00000000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
        server.publish(
          'polls',
          JSON.stringify({ type: 'poll.votes', id, votesCount: 100, status: 'active', rev: 101 }),
        );
      }
    }
    return new Response();
  },
  websocket: {
    open(socket) {
      socket.subscribe('polls');
    },
    message() {},
  },
});
