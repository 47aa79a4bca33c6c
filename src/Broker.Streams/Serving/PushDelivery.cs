using System.Globalization;
using System.Text;

namespace Broker.Streams;

/// <summary>
/// The delivery of a push consumer to its subject: whether somebody subscribes to it, flow control, and heartbeats.
/// </summary>
internal sealed class PushDelivery(ConsumerHost host, ServedConsumer consumer, ConsumerTimer timer)
{
    // The bytes between two requests of flow control, and the most bytes without an answer.
    private const long FlowStep = 128 * 1024;
    private const long FlowWindow = 512 * 1024;

    private byte[]? _to;
    private byte[]? _flowReply;
    private long _sinceFlow;
    private long _unconfirmed;
    private long _lastSent;
    private int _flows;

    /// <summary>Whether a subscription receives the messages.</summary>
    internal bool IsBound { get; private set; }

    /// <summary>The number of messages that may be delivered now.</summary>
    internal long Wanted => !IsBound || (consumer.Config.FlowControl == true && _unconfirmed >= FlowWindow) ? 0 : DeliveryRead.MaxMessages;

    private byte[] To => _to ??= Encoding.UTF8.GetBytes(consumer.Config.DeliverSubject!);

    /// <summary>Sets whether somebody subscribes to the subject. Returns false if this is not new.</summary>
    internal bool SetBound(bool isBound, long now)
    {
        if (IsBound == isBound)
        {
            return false;
        }

        IsBound = isBound;
        _lastSent = now;
        _flowReply = null;
        _unconfirmed = _sinceFlow = 0;
        if (isBound && consumer.Config.IdleHeartbeat is > 0)
        {
            timer.Schedule(now + ConsumerRules.Ticks(consumer.Config.IdleHeartbeat));
        }

        return true;
    }

    /// <summary>Handles the answer to a request of flow control. Returns false if it is not the answer to the last one.</summary>
    internal bool EndFlow(ReadOnlySpan<byte> subject)
    {
        if (!_flowReply.AsSpan().SequenceEqual(subject))
        {
            return false;
        }

        _flowReply = null;
        _unconfirmed = _sinceFlow;
        // The messages since the request may fill the window. Then only another request can end the wait.
        RequestFlow();
        return true;
    }

    /// <summary>Delivers a message. Returns false if nobody received it.</summary>
    internal bool TryDeliver(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload, int headers, ReadOnlySpan<byte> reply, long now)
    {
        if (!IsBound || !host.Responder.Deliver(To, subject, payload, headers, reply))
        {
            // The subscription has just ended. The next one is reported.
            IsBound = false;
            return false;
        }

        _lastSent = now;
        _unconfirmed += payload.Length;
        _sinceFlow += payload.Length;
        RequestFlow();
        return true;
    }

    /// <summary>Sends a heartbeat if nothing was sent meanwhile. Returns the time of the next one.</summary>
    internal long Tick(long now)
    {
        if (!IsBound || consumer.Config.IdleHeartbeat is not > 0)
        {
            return long.MaxValue;
        }

        long pause = ConsumerRules.Ticks(consumer.Config.IdleHeartbeat);
        if (_lastSent + pause <= now)
        {
            _lastSent = now;
            string stalled = _flowReply is null ? "" : $"Nats-Consumer-Stalled: {Encoding.UTF8.GetString(_flowReply)}\r\n";
            ConsumerStatus.SendHeartbeat(host, To, consumer.Progress, stalled);
        }

        return _lastSent + pause;
    }

    private void RequestFlow()
    {
        if (consumer.Config.FlowControl == true && _sinceFlow >= FlowStep && _flowReply is null)
        {
            _flowReply = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"$JS.FC.{consumer.Stream.Name}.{consumer.Name}.{++_flows}"));
            _sinceFlow = 0;
            ConsumerStatus.Send(host, To, "100 FlowControl Request", replyTo: _flowReply);
        }
    }
}
