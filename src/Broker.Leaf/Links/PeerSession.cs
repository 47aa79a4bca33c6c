using System.Text;
using Broker.Protocol;
using Broker.Server;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// The common part of both kinds of connections: the operations of the other server after the handshake, and its
/// liveness. Used on the loop of the link only.
/// </summary>
internal abstract partial class PeerSession : ConnectionHandler
{
    /// <summary>
    /// The longest line. An INFO contains permissions and addresses; the longest subjects are much shorter.
    /// </summary>
    internal const int MaxLine = 256 * 1024;

    // nats-server accepts no larger limit for itself.
    private const int MaxPayload = 64 * 1024 * 1024;

    // The queue may contain this number of bytes besides messages: announced interest and replies to PING.
    private const long ControlBytes = 256L * 1024 * 1024;

    private const int MaxUnansweredPings = 2;

    private static readonly TimeSpan WriteDeadline = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ErrorLinger = TimeSpan.FromMilliseconds(500);

    private readonly LeafOperationParser _parser = new(new ParserLimits(MaxLine, MaxPayload));
    private LoopTimer? _timer;
    private int _unansweredPings;

    /// <summary>The connection; null until it is open.</summary>
    internal Connection? Connection { get; private set; }

    /// <summary>The link. It is used after the handshake only.</summary>
    protected abstract PeerLink Peer { get; }

    /// <summary>Whether the handshake is done.</summary>
    protected abstract bool IsReady { get; }

    /// <summary>The largest number of subscriptions of the other server.</summary>
    protected abstract int MaxInterest { get; }

    protected abstract TimeSpan PingInterval { get; }

    /// <summary>Why the connection ends; null if no reason is known yet.</summary>
    protected string? Reason { get; set; }

    /// <summary>Sets the limits of an opened connection.</summary>
    protected void Open(Connection connection, long maxPendingBytes)
    {
        Connection = connection;
        connection.MaxPendingBytes = maxPendingBytes + ControlBytes;
        // A link never slows down publishers.
        connection.HighWaterBytes = long.MaxValue;
        connection.Framing = OperationFraming.Framing;
        connection.WriteDeadline = WriteDeadline;
    }

    /// <summary>Counts the messages in bytes that were written for the other server.</summary>
    protected static int CountMessages(ReadOnlySpan<byte> written)
    {
        int messages = 0;
        while (!written.IsEmpty)
        {
            int length = OperationFraming.Framing.Measure(written, out bool isMessage);
            if (length == 0)
            {
                break;
            }

            messages += isMessage ? 1 : 0;
            written = written[length..];
        }

        return messages;
    }

    /// <summary>Parses received bytes.</summary>
    protected int Parse(ReadOnlySpan<byte> bytes, ref int needed)
    {
        // All bytes show that the other server is alive.
        _unansweredPings = 0;
        bool canPublish = IsReady;
        if (canPublish)
        {
            if (Peer.Target.IsDelivering)
            {
                // The last message of the earlier connection is still being delivered to very many subscribers.
                Connection!.PauseReceiving();
                return 0;
            }

            Peer.Target.BeginWork();
        }

        var operations = new Operations(this);
        int consumed = _parser.Parse(bytes, ref operations, ref needed, out ProtocolError error);
        operations.Count();
        if (canPublish && Peer.Target.IsDelivering)
        {
            Connection!.PauseReceiving();
            Peer.Target.ContinueDelivery();
        }
        else if (canPublish && Peer.Target.IsWorkUsedUp)
        {
            Connection!.YieldReceiving();
        }

        if (error != ProtocolError.None)
        {
            Fail($"the remote violated the protocol: {ProtocolErrorText.For(error)}");
        }

        return consumed;
    }

    /// <summary>Closes the connection. The first reason is reported.</summary>
    protected void Fail(string reason)
    {
        Reason ??= reason;
        Connection!.Close();
    }

    /// <summary>Closes the connection after an error was sent to the other server.</summary>
    /// <param name="error">The text of the error.</param>
    /// <param name="reason">The reason that is reported.</param>
    protected void Fail(string error, string reason)
    {
        Reason ??= reason;
        Connection!.GetWriteBuffer(Connection.Loop).Write(Encoding.UTF8.GetBytes($"-ERR '{error}'\r\n"));
        Connection.Close(ErrorLinger);
    }

    /// <summary>Starts the limit of the handshake, or the interval of PINGs. It replaces the present one.</summary>
    protected void StartTimer(TimeSpan due)
    {
        StopTimer();
        _timer = Connection!.Loop.StartTimer(due, OnTimer);
    }

    protected void StopTimer() => _timer?.Cancel();

    /// <summary>The limit of the handshake is over.</summary>
    protected abstract void OnHandshakeTimeout();

    /// <summary>Handles an INFO. Returns whether the parser continues.</summary>
    protected abstract bool ReceiveInfo(ReadOnlySpan<byte> json);

    /// <summary>
    /// Whether the other server may announce interest in a filter. If not, the method ends the connection.
    /// </summary>
    protected virtual bool MayAsk(ReadOnlySpan<byte> filter) => true;

    /// <summary>Whether interest in subjects that detect loops must be passed on to other servers.</summary>
    protected abstract bool PassesLoopSubjects { get; }

    /// <summary>Returns the reply subject of a message as subscribers see it.</summary>
    protected virtual ReadOnlySpan<byte> ShowReply(ReadOnlySpan<byte> replyTo) => replyTo;

    /// <summary>The interest of the other server has changed.</summary>
    protected virtual void OnInterestChanged(ReadOnlySpan<byte> filter, bool isAdded)
    {
    }

    private void OnTimer()
    {
        if (!IsReady)
        {
            OnHandshakeTimeout();
            return;
        }

        if (_unansweredPings == MaxUnansweredPings)
        {
            Fail("the remote does not answer PING");
            return;
        }

        _unansweredPings++;
        Connection!.GetWriteBuffer(Connection.Loop).Write("PING\r\n"u8);
        StartTimer(PingInterval);
    }

    private bool ReceiveSubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, int weight)
    {
        if (!IsReady)
        {
            Fail("the remote announced interest before the end of the handshake");
            return false;
        }

        bool detectsLoops = filter.StartsWith("$LDS."u8);
        if (detectsLoops && filter.SequenceEqual(Peer.LoopSubject))
        {
            Fail("Loop detected for leafnode", "Loop detected: the remote sends back what it gets from this server");
            return false;
        }

        if (Peer.Target.InterestCount >= MaxInterest)
        {
            Fail($"the remote has more than {MaxInterest} subscriptions");
            return false;
        }

        if (detectsLoops ? !PassesLoopSubjects : IsOfThisServer(filter))
        {
            return true;
        }

        if (!detectsLoops && !MayAsk(filter))
        {
            return false;
        }

        int before = Peer.Target.InterestCount;
        Peer.Target.AddInterest(filter, queueGroup, weight);
        if (Peer.Target.InterestCount != before)
        {
            OnInterestChanged(filter, isAdded: true);
        }

        return true;
    }

    // Each server answers requests about itself.
    private bool IsOfThisServer(ReadOnlySpan<byte> filter) => !Peer.Target.IsSystemAccount && filter.StartsWith("$SYS."u8);

    private bool ReceiveUnsubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup)
    {
        if (!IsReady)
        {
            Fail("the remote withdrew interest before the end of the handshake");
            return false;
        }

        if (Peer.Target.RemoveInterest(filter, queueGroup))
        {
            OnInterestChanged(filter, isAdded: false);
        }

        return true;
    }

    private bool ReceiveError(ReadOnlySpan<byte> text)
    {
        string message = Encoding.UTF8.GetString(text[..Math.Min(text.Length, 256)]);
        // If the other server closes now, this error is the reason.
        Reason = message;
        LogError(message);
        return true;
    }

    /// <summary>Logs an error that the other server has sent.</summary>
    protected abstract void LogError(string message);

    private bool ReceivePing()
    {
        Connection!.GetWriteBuffer(Connection.Loop).Write("PONG\r\n"u8);
        return true;
    }
}
