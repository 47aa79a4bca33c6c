using System.Text;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Leaf;

/// <summary>
/// One connection of a link to the remote, from the dial to its close: the handshake, and then the operations of the
/// remote. Used on the loop of the link only.
/// </summary>
internal sealed partial class LeafSession(LeafLink link, LeafAddress address) : ConnectionHandler
{
    // An INFO contains permissions and addresses. The longest subjects are much shorter.
    private const int MaxLine = 256 * 1024;

    // nats-server accepts no larger limit for itself.
    private const int MaxPayload = 64 * 1024 * 1024;

    // The queue may contain this number of bytes besides messages: announced interest and replies to PING.
    private const long ControlBytes = 256L * 1024 * 1024;

    private const int MaxUnansweredPings = 2;

    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan WriteDeadline = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ErrorLinger = TimeSpan.FromMilliseconds(500);

    private readonly LeafOperationParser _parser = new(new ParserLimits(MaxLine, MaxPayload));
    private HubInfo _info = new();
    private Phase _phase;
    private string? _reason;
    private LoopTimer? _timer;
    private int _unansweredPings;
    private int _streamInterest;
    private bool _tlsHandshakeRuns;

    // Set before the connection is dialed.
    private LeafCredentials? _credentials;
    private ClientTlsContext? _tls;

    private enum Phase
    {
        AwaitingInfo,
        AwaitingAnswer,
        Ready,
    }

    private LeafLink Link => link;

    private ClientTlsContext Tls => _tls!;

    /// <summary>The connection; null until it is open.</summary>
    internal Connection? Connection { get; private set; }

    /// <summary>The permissions of the link; null until the handshake is done.</summary>
    internal LinkPermissions? Permissions { get; private set; }

    /// <summary>The names of JetStream's subjects at the remote; null if they are the same.</summary>
    internal JetStreamMapping? JetStream { get; private set; }

    /// <summary>Gives the session its secrets, before the connection is dialed. Called on the thread pool.</summary>
    internal void Prepare(LeafCredentials? credentials, ClientTlsContext tls) => (_credentials, _tls) = (credentials, tls);

    public override void OnOpened(Connection connection)
    {
        Connection = connection;
        if (link.IsStopping)
        {
            connection.Close();
            return;
        }

        connection.MaxPendingBytes = link.Remote.MaxPendingBytes + ControlBytes;
        // A link never slows down publishers.
        connection.HighWaterBytes = long.MaxValue;
        connection.Framing = LeafFraming.Framing;
        connection.WriteDeadline = WriteDeadline;
        BeginHandshake();
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        // All bytes show that the remote is alive.
        _unansweredPings = 0;
        var operations = new Operations(this);
        int consumed = _parser.Parse(bytes, ref operations, ref needed, out ProtocolError error);
        operations.Count();
        if (error != ProtocolError.None)
        {
            Fail($"the remote violated the protocol: {ProtocolErrorText.For(error)}");
        }

        return consumed;
    }

    public override void OnDiscarded(Connection connection, ReadOnlySpan<byte> written)
        => link.CountUnsent(LeafFraming.CountMessages(written));

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        _timer?.Cancel();
        link.CountUnsent(connection.CountUnsent().Messages);
        link.OnEnded(this, _phase == Phase.Ready, _reason ?? ExplainEnd(reason, error));
    }

    /// <summary>Closes the connection. The first reason is reported.</summary>
    private void Fail(string reason)
    {
        _reason ??= reason;
        Connection!.Close();
    }

    private void StartTimer(TimeSpan due)
    {
        _timer?.Cancel();
        _timer = Connection!.Loop.StartTimer(due, OnTimer);
    }

    // During the handshake the timer is its limit, and later the interval of PINGs.
    private void OnTimer()
    {
        if (_phase != Phase.Ready)
        {
            Fail(_phase == Phase.AwaitingInfo ? "the remote sent no INFO" : "the remote did not answer CONNECT");
            return;
        }

        if (_unansweredPings == MaxUnansweredPings)
        {
            Fail("the remote does not answer PING");
            return;
        }

        _unansweredPings++;
        Connection!.GetWriteBuffer(Connection.Loop).Write("PING\r\n"u8);
        StartTimer(link.PingInterval);
    }

    private bool ReceiveSubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, int weight)
    {
        if (_phase != Phase.Ready)
        {
            Fail("the remote announced interest before the end of the handshake");
            return false;
        }

        if (filter.StartsWith("$LDS."u8))
        {
            return !filter.SequenceEqual(link.LoopSubject) || ReportLoop();
        }

        if (link.Target.InterestCount >= link.Remote.MaxInterest)
        {
            Fail($"the remote has more than {link.Remote.MaxInterest} subscriptions");
            return false;
        }

        // Each server answers requests about itself.
        if (link.Target.IsSystemAccount || !filter.StartsWith("$SYS."u8))
        {
            int before = link.Target.InterestCount;
            link.Target.AddInterest(filter, queueGroup, weight);
            if (link.Target.InterestCount != before)
            {
                CountStreamInterest(filter, isAdded: true);
            }
        }

        return true;
    }

    private bool ReceiveUnsubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup)
    {
        if (link.Target.RemoveInterest(filter, queueGroup))
        {
            CountStreamInterest(filter, isAdded: false);
        }

        return true;
    }

    // Without these subjects at the remote, a request to a stream must fail at once.
    private void CountStreamInterest(ReadOnlySpan<byte> filter, bool isAdded)
    {
        if (JetStream is not { } jetStream || !filter.StartsWith(jetStream.Trigger))
        {
            return;
        }

        _streamInterest += isAdded ? 1 : -1;
        foreach ((byte[] named, byte[]? group) in jetStream.Interest)
        {
            if (isAdded && _streamInterest == 1)
            {
                link.Target.AddInterest(named, group);
            }
            else if (_streamInterest == 0)
            {
                link.Target.RemoveInterest(named, group);
            }
        }
    }

    private bool ReportLoop()
    {
        LoopWriteBuffer buffer = Connection!.GetWriteBuffer(Connection.Loop);
        buffer.Write("-ERR 'Loop detected for leafnode'\r\n"u8);
        _reason ??= "Loop detected: the remote sends back what it gets from this server";
        Connection.Close(ErrorLinger);
        return false;
    }

    private bool ReceiveError(ReadOnlySpan<byte> text)
    {
        string message = Encoding.UTF8.GetString(text[..Math.Min(text.Length, 256)]);
        // If the remote closes now, this error is the reason.
        _reason = message;
        link.Log.Error(address.ToString(), message);
        return true;
    }

    private bool ReceivePing()
    {
        Connection!.GetWriteBuffer(Connection.Loop).Write("PONG\r\n"u8);
        return true;
    }
}
