using System.Diagnostics;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>
/// A requester and a responder in lock step, on two connections and one thread. Every round trip passes through the
/// server twice and includes no thread switch of the driver. Every received frame is compared.
/// </summary>
internal sealed class RoundTrip
{
    private const string Service = "svc";
    private const string Inbox = "_INBOX.x";

    private readonly RawConnection _requester;
    private readonly RawConnection _responder;

    public RoundTrip(Session session)
    {
        _requester = session.Dial();
        _responder = session.DialReader();
        _requester.Send(Frames.Subscribe(Inbox, null, 1));
        _requester.Fence();
        _responder.Send(Frames.Subscribe(Service, null, 1));
        _responder.Fence();
        session.AwaitInterest();
    }

    /// <summary>Runs round trips one after another and returns their times in <see cref="Stopwatch"/> ticks.</summary>
    public long[] Run(Exchange exchange, long count)
    {
        long[] ticks = new long[count];
        long before = Stopwatch.GetTimestamp();
        for (int i = 0; i < ticks.Length; i++)
        {
            Run(exchange);
            long after = Stopwatch.GetTimestamp();
            ticks[i] = after - before;
            before = after;
        }

        return ticks;
    }

    public void Run(Exchange exchange)
    {
        _requester.Send(exchange.Request);
        _responder.Expect(exchange.RequestSeen);
        _responder.Send(exchange.Reply);
        _requester.Expect(exchange.ReplySeen);
    }

    /// <summary>Verifies that nothing else arrived.</summary>
    public void Fence()
    {
        _requester.Fence();
        _responder.Fence();
    }

    /// <summary>The four frames of a request with this payload.</summary>
    internal sealed class Exchange(byte[] payload)
    {
        public byte[] Request { get; } = Frames.Publish(Service, payload, Inbox);

        public byte[] RequestSeen { get; } = Frames.Message(Service, 1, payload, Inbox);

        public byte[] Reply { get; } = Frames.Publish(Inbox, payload);

        public byte[] ReplySeen { get; } = Frames.Message(Inbox, 1, payload);
    }
}
