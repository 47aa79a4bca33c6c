using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>
/// Requester and responder in lock step on two connections and one thread: every round trip passes the server twice,
/// and no thread switch of the driver is part of it. Every frame is compared as it arrives.
/// </summary>
internal sealed class RequestReply(string name, int payloadSize)
    : Row(name, $"request and reply in lock step, {payloadSize} B")
{
    private const string Service = "svc";
    private const string Inbox = "_INBOX.x";
    private const int VerifiedRequests = 500;

    private readonly Exchange _exchange = new(Payloads.Pattern(payloadSize));

    public override double NominalNanoseconds => 100_000;

    // The 99.9th percentile needs a few beyond it.
    public override int FewestMessages => 3_000;

    public override Measurement Measure(Target target, long messages)
    {
        long[] ticks = new long[messages];
        using Session session = target.OpenSession();
        (RawConnection requester, RawConnection responder) = Connect(session);
        target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        long before = from;
        for (int i = 0; i < ticks.Length; i++)
        {
            _exchange.Run(requester, responder);
            long after = Stopwatch.GetTimestamp();
            ticks[i] = after - before;
            before = after;
        }

        return target.Finish(messages, from, before) with { Latency = Latency.FromTicks(ticks) };
    }

    public override void Verify(Target target)
    {
        using Session session = target.OpenSession();
        (RawConnection requester, RawConnection responder) = Connect(session);
        byte[] payload = new byte[payloadSize];
        for (int i = 0; i < VerifiedRequests; i++)
        {
            Payloads.WriteNumbered(payload, 0, i);
            new Exchange(payload).Run(requester, responder);
        }

        requester.Fence();
        responder.Fence();
    }

    private static (RawConnection Requester, RawConnection Responder) Connect(Session session)
    {
        RawConnection requester = session.Dial();
        RawConnection responder = session.Dial();
        requester.Send(Frames.Subscribe(Inbox, null, 1));
        requester.Fence();
        responder.Send(Frames.Subscribe(Service, null, 1));
        responder.Fence();
        return (requester, responder);
    }

    private sealed class Exchange(byte[] payload)
    {
        private readonly byte[] _request = Frames.Publish(Service, payload, Inbox);
        private readonly byte[] _requestSeen = Frames.Message(Service, 1, payload, Inbox);
        private readonly byte[] _reply = Frames.Publish(Inbox, payload);
        private readonly byte[] _replySeen = Frames.Message(Inbox, 1, payload);

        public void Run(RawConnection requester, RawConnection responder)
        {
            requester.Send(_request);
            responder.Expect(_requestSeen);
            responder.Send(_reply);
            requester.Expect(_replySeen);
        }
    }
}
