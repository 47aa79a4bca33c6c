using System.Globalization;
using System.Text;

namespace Broker.Streams;

// A consumer that delivers to a subject without requests.
internal sealed partial class ServedConsumer
{
    // The bytes between two requests of flow control, and the most bytes without an answer.
    private const long FlowStep = 128 * 1024;
    private const long FlowWindow = 512 * 1024;

    private byte[]? _deliverTo;
    private byte[]? _flowReply;
    private long _sinceFlow;
    private long _unconfirmed;
    private long _lastSent;
    private int _flows;

    /// <summary>Whether a subscription receives the messages of this push consumer.</summary>
    internal bool IsBound { get; private set; }

    private byte[] DeliverTo => _deliverTo ??= Encoding.UTF8.GetBytes(Config.DeliverSubject!);

    /// <summary>Sets whether somebody subscribes to the subject of this consumer.</summary>
    internal void SetBound(bool isBound)
    {
        if (IsBound == isBound)
        {
            return;
        }

        long now = _host.Now;
        IsBound = isBound;
        _lastActivity = now;
        _lastSent = now;
        _flowReply = null;
        _unconfirmed = _sinceFlow = 0;
        Schedule(isBound && Config.IdleHeartbeat is > 0 ? now + TicksOf(Config.IdleHeartbeat) : long.MaxValue);
        Schedule(Config.InactiveThreshold is > 0 ? now + TicksOf(Config.InactiveThreshold) : long.MaxValue);
        Pump(now);
    }

    /// <summary>Handles the answer to a request of flow control.</summary>
    internal void EndFlow(ReadOnlySpan<byte> subject)
    {
        if (_flowReply.AsSpan().SequenceEqual(subject))
        {
            _flowReply = null;
            _unconfirmed = _sinceFlow;
            // The messages since the request may fill the window. Then only another request can end the wait.
            RequestFlow();
            Pump(_host.Now);
        }
    }

    private long PushWindow() => !IsBound || (Config.FlowControl == true && _unconfirmed >= FlowWindow) ? 0 : DeliveryRead.MaxMessages;

    private bool TryPush(in DeliveryRead.Message message, DeliveryRead read, ReadOnlySpan<byte> payload, int headers, ReadOnlySpan<byte> reply, long now)
    {
        if (!IsBound || !_host.Responder.Deliver(DeliverTo, message.Head.SubjectOf(read.BytesOf(message)), payload, headers, reply))
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

    private void RequestFlow()
    {
        if (Config.FlowControl == true && _sinceFlow >= FlowStep && _flowReply is null)
        {
            _flowReply = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"$JS.FC.{Stream.Name}.{Name}.{++_flows}"));
            _sinceFlow = 0;
            SendStatus(DeliverTo, "100 FlowControl Request", "", _flowReply);
        }
    }

    // Sends a heartbeat if nothing was sent meanwhile. Returns the time of the next one.
    private long TickPush(long now)
    {
        if (!IsPush || !IsBound || Config.IdleHeartbeat is not > 0)
        {
            return long.MaxValue;
        }

        long pause = TicksOf(Config.IdleHeartbeat);
        if (_lastSent + pause <= now)
        {
            _lastSent = now;
            string stalled = _flowReply is null ? "" : $"Nats-Consumer-Stalled: {Encoding.UTF8.GetString(_flowReply)}\r\n";
            SendStatus(DeliverTo, "100 Idle Heartbeat", Places(stalled));
        }

        return _lastSent + pause;
    }
}
